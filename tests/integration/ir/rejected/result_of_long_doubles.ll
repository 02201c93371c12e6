; rejected: a result of a statepoint that does not fit the registers
declare [3 x x86_fp80] @numbers()

define x86_fp80 @f() gc "statepoint-example" {
  %all = call [3 x x86_fp80] @numbers()
  %last = extractvalue [3 x x86_fp80] %all, 2
  ret x86_fp80 %last
}
