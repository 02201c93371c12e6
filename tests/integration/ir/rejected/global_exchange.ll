; rejected: a reference is stored in a global variable whose type does not show it
@number = global i64 0

define void @keep(ptr addrspace(1) %object) gc "statepoint-example" {
  %before = atomicrmw xchg ptr @number, ptr addrspace(1) %object seq_cst
  ret void
}
