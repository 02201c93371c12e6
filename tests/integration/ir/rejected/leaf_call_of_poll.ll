; rejected: a call of a managed function is marked as a leaf
declare void @spgc_poll()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void @spgc_poll() "gc-leaf-function"
  ret ptr addrspace(1) %object
}
