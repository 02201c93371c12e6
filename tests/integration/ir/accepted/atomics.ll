; References exchanged atomically.
define ptr addrspace(1) @f(ptr addrspace(1) %field, ptr addrspace(1) %old,
    ptr addrspace(1) %new) gc "statepoint-example" {
  %pair = cmpxchg ptr addrspace(1) %field, ptr addrspace(1) %old,
  ptr addrspace(1) %new seq_cst seq_cst
  %seen = extractvalue { ptr addrspace(1), i1 } %pair, 0
  %other = atomicrmw xchg ptr addrspace(1) %field, ptr addrspace(1) %seen seq_cst
  ret ptr addrspace(1) %other
}
