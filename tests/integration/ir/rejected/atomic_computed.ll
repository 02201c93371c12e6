; rejected: a word that is declared as a reference is read or written as a number
; What C makes of `__atomic_fetch_add` on a field that is a reference.
%node = type { ptr, ptr addrspace(1) }

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr %node, ptr addrspace(1) %object, i32 0, i32 1
  %old = atomicrmw add ptr addrspace(1) %field, i64 8 seq_cst
  %reference = inttoptr i64 %old to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
