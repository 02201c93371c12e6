; rejected: an interior pointer is passed
declare void @g(<2 x ptr addrspace(1)>)

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %inner = getelementptr i8, ptr addrspace(1) %o, <2 x i64> <i64 8, i64 16>
  call void @g(<2 x ptr addrspace(1)> %inner)
  ret void
}
