; rejected: a call that returns twice
declare i32 @setjmp(ptr) returns_twice

define i32 @f(ptr %buffer) gc "statepoint-example" {
  %r = call i32 @setjmp(ptr %buffer)
  ret i32 %r
}
