; rejected: this intrinsic may write references
declare void @llvm.va_start.p1(ptr addrspace(1))

define void @f(ptr addrspace(1) %o, ...) gc "statepoint-example" {
  call void @llvm.va_start.p1(ptr addrspace(1) %o)
  ret void
}
