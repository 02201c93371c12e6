; LLVM 19: cannot lower memory intrinsic in address space 256
declare void @llvm.memset.p256.i64(ptr addrspace(256), i8, i64, i1)
define void @f(ptr addrspace(256) %q,  i64 %n) { call void @llvm.memset.p256.i64(ptr addrspace(256)
    %q, i8 0, i64 %n, i1 0) ret void }
