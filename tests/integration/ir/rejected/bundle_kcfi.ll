; rejected: operand bundle of this kind
define void @f(ptr %g, ptr addrspace(1) %o) gc "statepoint-example" {
  call void %g(ptr addrspace(1) %o) [ "kcfi"(i32 7) ]
  ret void
}
