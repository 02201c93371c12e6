; rejected: a result of a statepoint that does not fit the registers
declare i256 @wide(i64)

define i256 @f(i64 %n) {
  %number = call i256 @wide(i64 %n) [ "deopt"(i64 %n) ]
  ret i256 %number
}
