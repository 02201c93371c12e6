; rejected: a safepoint in a call of this calling convention
declare preserve_mostcc void @g(i64)
declare void @visit(ptr addrspace(1))

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  call preserve_mostcc void @g(i64 1)
  call void @visit(ptr addrspace(1) %o)
  ret void
}
