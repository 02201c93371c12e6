; rejected: from or to unmanaged memory cannot be a safepoint
declare void @llvm.memcpy.element.unordered.atomic.p1.p0.i64(ptr addrspace(1), ptr, i64, i32 immarg)

define void @f(ptr addrspace(1) %a, ptr %b, i64 %n) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p0.i64(ptr addrspace(1) align 8 %a,
  ptr align 8 %b, i64 %n, i32 8)
  ret void
}
