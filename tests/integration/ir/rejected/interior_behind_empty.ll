; rejected: an interior pointer is passed
declare void @take(ptr addrspace(1))

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %element = getelementptr [0 x i64], ptr addrspace(1) %o, i64 0, i64 5
  call void @take(ptr addrspace(1) %element)
  ret void
}
