; rejected: the type descriptor is null or undefined
declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr null)
  ret ptr addrspace(1) %o
}
