; rejected: structure or array value with references
define void @f(ptr addrspace(1) %from, ptr addrspace(1) %to) gc "statepoint-example" {
  %all = load [1025 x ptr addrspace(1)], ptr addrspace(1) %from
  store [1025 x ptr addrspace(1)] %all, ptr addrspace(1) %to
  ret void
}
