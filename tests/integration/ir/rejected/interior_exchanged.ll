; rejected: an interior pointer is stored
define ptr addrspace(1) @f(ptr addrspace(1) %object, ptr addrspace(1) %other)
    gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %old = atomicrmw xchg ptr addrspace(1) %other, ptr addrspace(1) %field seq_cst
  ret ptr addrspace(1) %old
}
