; rejected: the runtime's function has another type, or is defined here
define ptr addrspace(1) @spgc_allocate(ptr %type) {
  ret ptr addrspace(1) null
}
