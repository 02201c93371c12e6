; rejected: an interior pointer is stored
define void @f(ptr addrspace(1) %object, ptr addrspace(1) %other) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  store ptr addrspace(1) %field, ptr addrspace(1) %other
  ret void
}
