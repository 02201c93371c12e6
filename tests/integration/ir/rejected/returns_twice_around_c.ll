; rejected: setjmp in a function whose calls may lead to managed functions
; Nothing shows what the C functions call.
declare i32 @_setjmp(ptr) returns_twice
declare void @other()

define void @managed() gc "statepoint-example" {
  call void @other()
  ret void
}

define void @c_function(ptr %function) {
  call void %function()
  call void @other()
  ret void
}

define i32 @f(ptr %buffer) {
  %r = call i32 @_setjmp(ptr %buffer) returns_twice
  call void @c_function(ptr @other)
  ret i32 %r
}
