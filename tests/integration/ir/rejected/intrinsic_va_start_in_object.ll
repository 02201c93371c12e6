; rejected: no write barrier for references that this intrinsic may write
declare void @llvm.va_start.p1(ptr addrspace(1))

define void @f(ptr addrspace(1) %o, ...) gc "statepoint-example" {
  call void @llvm.va_start.p1(ptr addrspace(1) %o)
  ret void
}
