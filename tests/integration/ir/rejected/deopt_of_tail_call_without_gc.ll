; rejected: a musttail call leaves no frame
declare i64 @other(i64)

define i64 @f(i64 %n) {
  %number = musttail call i64 @other(i64 %n) [ "deopt"(i64 %n) ]
  ret i64 %number
}
