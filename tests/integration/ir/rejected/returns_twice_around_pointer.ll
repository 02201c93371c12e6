; rejected: setjmp in a function whose calls may lead to managed functions
declare i32 @_setjmp(ptr) returns_twice
declare void @other()

define void @managed() gc "statepoint-example" {
  call void @other()
  ret void
}

@table = constant ptr @managed

define i32 @f(ptr %buffer, ptr %function) {
  %r = call i32 @_setjmp(ptr %buffer) returns_twice
  call void %function()
  ret i32 %r
}
