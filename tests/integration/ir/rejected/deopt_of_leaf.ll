; rejected: a result of a statepoint that does not fit the registers
declare i256 @wide(i64) "gc-leaf-function"

define i256 @f(i64 %n) gc "statepoint-example" {
  %number = call i256 @wide(i64 %n) [ "deopt"(i64 %n) ]
  ret i256 %number
}
