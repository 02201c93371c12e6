; rejected: an interior pointer is passed
declare void @unknown(ptr addrspace(1))

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  call void @unknown(ptr addrspace(1) %field)
  ret void
}
