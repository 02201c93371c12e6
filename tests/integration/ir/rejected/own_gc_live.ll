; rejected: would overwrite "gc-live"
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @unknown() [ "gc-live"(ptr addrspace(1) %a) ]
  ret ptr addrspace(1) %a
}
