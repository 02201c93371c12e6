; rejected: the address of an object is stored as an integer
declare void @llvm.masked.scatter.v2i64.v2p1(<2 x i64>, <2 x ptr addrspace(1)>, i32, <2 x i1>)

define void @f(<2 x ptr addrspace(1)> %fields, ptr addrspace(1) %value,
    <2 x i1> %mask) gc "statepoint-example" {
  %word = ptrtoint ptr addrspace(1) %value to i64
  %words = insertelement <2 x i64> zeroinitializer, i64 %word, i32 0
  call void @llvm.masked.scatter.v2i64.v2p1(<2 x i64> %words, <2 x ptr addrspace(1)> %fields, i32 8,
  <2 x i1> %mask)
  ret void
}
