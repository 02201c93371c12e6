; LLVM 19: cannot lower memory intrinsic in address space 257
declare void @llvm.memcpy.p257.p0.i64(ptr addrspace(257), ptr, i64, i1)
define void @f(ptr addrspace(257) %q, ptr %p, i64 %n) { call void
    @llvm.memcpy.p257.p0.i64(ptr addrspace(257) %q, ptr %p, i64 %n, i1 0) ret void }
