; rejected: a call that returns twice
declare i32 @_setjmp(ptr)

define i32 @f(ptr %buffer) gc "statepoint-example" {
  %again = call i32 @_setjmp(ptr %buffer)
  ret i32 %again
}
