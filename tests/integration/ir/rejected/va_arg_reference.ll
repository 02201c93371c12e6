; rejected: variable arguments are in memory that the collector does not see
declare void @llvm.va_start.p0(ptr)

define ptr addrspace(1) @f(i64 %n, ...) gc "statepoint-example" {
  %list = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %list)
  %value = va_arg ptr %list, ptr addrspace(1)
  ret ptr addrspace(1) %value
}
