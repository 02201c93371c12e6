; rejected: one place of a copy declares a word as a reference
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
declare void @collect()
declare void @look(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @f(ptr byval([24 x i8]) align 8 %p) gc "statepoint-example" {
  %own = alloca %pair
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %p, i64 24, i1 false)
  call void @look(ptr %own)
  ret void
}
