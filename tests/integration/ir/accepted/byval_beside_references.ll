; A structure of numbers is passed by value, and kept beside references.
%numbers = type { i64, i64, i64 }
%both = type { ptr addrspace(1), %numbers, ptr addrspace(1) }
declare void @look(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @f(ptr byval(%numbers) align 8 %n, ptr addrspace(1) %o) gc "statepoint-example" {
  %both = alloca %both
  store ptr addrspace(1) %o, ptr %both
  %at = getelementptr %both, ptr %both, i64 0, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %n, i64 24, i1 false)
  call void @look(ptr %both)
  ret void
}
