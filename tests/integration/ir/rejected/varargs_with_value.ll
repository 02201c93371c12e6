; rejected: a call with variable arguments that returns a value
declare i64 @many(i64, ...)

define i64 @f() gc "statepoint-example" {
  %r = call i64 (i64, ...) @many(i64 1, i64 2)
  ret i64 %r
}
