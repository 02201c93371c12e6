; rejected: a result of a statepoint that does not fit the registers
declare <4 x half> @numbers()
declare i32 @spgc_personality(...)

define <4 x half> @f() gc "statepoint-example" personality ptr @spgc_personality {
  %all = invoke <4 x half> @numbers() to label %normal unwind label %handler

normal:
  ret <4 x half> %all

handler:
  %pad = landingpad token cleanup
  ret <4 x half> zeroinitializer
}
