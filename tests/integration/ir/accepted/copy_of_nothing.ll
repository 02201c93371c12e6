; The length of the copy is found to be 0 while its barrier is put in.
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

define void @copy(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %length = shl i64 0, 3
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %length,
                                    i1 false)
  ret void
}
