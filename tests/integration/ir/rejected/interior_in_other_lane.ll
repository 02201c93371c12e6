; rejected: an interior pointer is passed
declare void @take_both(<2 x ptr addrspace(1)>)

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %lanes = getelementptr i8, ptr addrspace(1) %o, <2 x i64> <i64 0, i64 8>
  call void @take_both(<2 x ptr addrspace(1)> %lanes)
  ret void
}
