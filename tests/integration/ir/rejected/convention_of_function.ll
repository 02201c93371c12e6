; rejected: a managed function of this calling convention
define coldcc i64 @f(ptr addrspace(1) %o) gc "statepoint-example" {
  ret i64 1
}
