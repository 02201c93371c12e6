; rejected: variable arguments are in memory that the collector does not see
declare void @many(i64, ...)

define void @f(ptr addrspace(1) %a) gc "statepoint-example" {
  call void (i64, ...) @many(i64 1, ptr addrspace(1) %a)
  ret void
}
