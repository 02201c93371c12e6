; Each reference of a large array lives across the call as a value of its own.
declare void @unknown()

define void @f(ptr addrspace(1) %from, ptr addrspace(1) %to) gc "statepoint-example" {
  %all = load [257 x ptr addrspace(1)], ptr addrspace(1) %from
  call void @unknown()
  store [257 x ptr addrspace(1)] %all, ptr addrspace(1) %to
  ret void
}
