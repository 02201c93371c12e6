; rejected: passed in stack memory
define i64 @f(ptr addrspace(1) byval(i64) %o) gc "statepoint-example" {
  %r = load i64, ptr addrspace(1) %o
  ret i64 %r
}
