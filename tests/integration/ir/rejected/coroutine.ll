; rejected: coroutine
declare token @llvm.coro.id(i32, ptr, ptr, ptr)

define void @f() gc "statepoint-example" {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  ret void
}
