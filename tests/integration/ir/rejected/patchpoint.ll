; rejected: a patchpoint gets no statepoint
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 15,
      ptr @collect, i32 0)
  ret ptr addrspace(1) %object
}
