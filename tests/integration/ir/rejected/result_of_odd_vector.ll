; rejected: a result of a statepoint that does not fit the registers
declare <7 x i32> @odd()

define <7 x i32> @f() gc "statepoint-example" {
  %all = call <7 x i32> @odd()
  ret <7 x i32> %all
}
