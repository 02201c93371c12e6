; setjmp around leaves only, in a module that has managed functions, too.
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
  call void @c_function(ptr @other) "gc-leaf-function"
  ret i32 %r
}
