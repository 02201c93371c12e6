; rejected: a local variable holds a reference at a place that its type does not show
declare void @collect()
declare void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)>, ptr, i32, <2 x i1>)
declare <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p0(
    <2 x ptr>, i32, <2 x i1>, <2 x ptr addrspace(1)>)

define ptr addrspace(1) @f(<2 x ptr addrspace(1)> %v, <2 x i1> %m, <2 x i64> %i)
    gc "statepoint-example" {
  %a = alloca [16 x i8], align 8
  call void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)> %v, ptr %a, i32 8, <2 x i1> %m)
  call void @collect()
  %at = getelementptr i8, ptr %a, <2 x i64> %i
  %l = call <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p0(<2 x ptr> %at, i32 8,
      <2 x i1> %m, <2 x ptr addrspace(1)> zeroinitializer)
  %o = extractelement <2 x ptr addrspace(1)> %l, i32 0
  ret ptr addrspace(1) %o
}
