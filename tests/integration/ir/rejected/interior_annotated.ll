; rejected: an interior pointer is returned
@note = private constant [5 x i8] c"note\00"

declare ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1), ptr, ptr, i32, ptr)

define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %same = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %at, ptr @note,
      ptr @note, i32 1, ptr null)
  ret ptr addrspace(1) %same
}
