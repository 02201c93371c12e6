; A patchpoint that cannot reach a safepoint.
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @leaf()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 15,
      ptr @leaf, i32 0) "gc-leaf-function"
  ret ptr addrspace(1) %object
}
