; rejected: a result of a statepoint that does not fit the registers
declare { float, float, i32, float, i32 } @numbers()

define float @f() gc "statepoint-example" {
  %all = call { float, float, i32, float, i32 } @numbers()
  %last = extractvalue { float, float, i32, float, i32 } %all, 3
  ret float %last
}
