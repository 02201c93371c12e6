; rejected: the C calling convention
declare fastcc ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f(ptr %type) gc "statepoint-example" {
  %o = call fastcc ptr addrspace(1) @spgc_allocate(ptr %type)
  ret ptr addrspace(1) %o
}
