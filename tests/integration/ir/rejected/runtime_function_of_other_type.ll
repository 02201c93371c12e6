; rejected: the runtime's function has another type
declare ptr addrspace(1) @spgc_allocate(i64)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(i64 24)
  ret ptr addrspace(1) %o
}
