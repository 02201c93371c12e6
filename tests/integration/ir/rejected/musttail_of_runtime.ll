; rejected: a musttail call of the runtime
declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f(ptr %type) gc "statepoint-example" {
  %r = musttail call ptr addrspace(1) @spgc_allocate(ptr %type)
  ret ptr addrspace(1) %r
}
