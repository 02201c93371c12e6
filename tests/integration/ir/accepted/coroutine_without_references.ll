; A coroutine beside managed code. It has no gc strategy, and no level leaves any of its intrinsics
; to the code generator.
declare ptr addrspace(1) @spgc_allocate(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @step()

define ptr @start() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %suspended [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @step()
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %suspended
suspended:
  ret ptr %frame
}

define ptr addrspace(1) @managed(ptr %type) gc "statepoint-example" {
  %frame = call ptr @start()
  %o = call ptr addrspace(1) @spgc_allocate(ptr %type)
  ret ptr addrspace(1) %o
}
