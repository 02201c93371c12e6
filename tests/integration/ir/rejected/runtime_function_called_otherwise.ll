; rejected: is called with another type than it is declared with
declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %object = call ptr addrspace(1) @spgc_allocate(i64 5)
  ret ptr addrspace(1) %object
}
