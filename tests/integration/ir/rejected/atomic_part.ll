; rejected: a word that is declared as a reference is read or written as a number
%node = type { ptr, ptr addrspace(1) }

define i32 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr %node, ptr addrspace(1) %object, i32 0, i32 1
  %old = atomicrmw xchg ptr addrspace(1) %field, i32 1 seq_cst
  ret i32 %old
}
