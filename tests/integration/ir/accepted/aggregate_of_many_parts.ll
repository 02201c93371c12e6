; A structure or array value of many parts: each becomes a value of its own.
define void @f(ptr addrspace(1) %from, ptr addrspace(1) %to) gc "statepoint-example" {
  %all = load [1025 x ptr addrspace(1)], ptr addrspace(1) %from
  store [1025 x ptr addrspace(1)] %all, ptr addrspace(1) %to
  ret void
}
