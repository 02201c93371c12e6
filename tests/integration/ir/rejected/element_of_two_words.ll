; rejected: objects are aligned to 8 bytes, so elements of 16 bytes are not
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32 immarg)

define void @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 16 %a,
  ptr addrspace(1) align 16 %b, i64 64, i32 16)
  ret void
}
