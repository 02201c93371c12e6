; rejected: it does not save the registers of its calling convention
declare void @g(i64) "no_caller_saved_registers"

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  call void @g(i64 1)
  ret void
}
