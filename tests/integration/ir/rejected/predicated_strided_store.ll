; rejected: this intrinsic may write references
declare void @llvm.experimental.vp.strided.store.v2p1.p1.i64(<2 x ptr addrspace(1)>,
    ptr addrspace(1), i64, <2 x i1>, i32)

define void @f(ptr addrspace(1) %o, <2 x ptr addrspace(1)> %v, i32 %n) gc "statepoint-example" {
  call void @llvm.experimental.vp.strided.store.v2p1.p1.i64(<2 x ptr addrspace(1)> %v,
  ptr addrspace(1) %o, i64 16, <2 x i1> <i1 1, i1 1>, i32 %n)
  ret void
}
