; rejected: the runtime's function has another type, or is defined here
define internal i64 @spgc_module_load(i64 %n) {
  ret i64 %n
}

define i64 @f(i64 %n) gc "statepoint-example" {
  %same = call i64 @spgc_module_load(i64 %n)
  ret i64 %same
}
