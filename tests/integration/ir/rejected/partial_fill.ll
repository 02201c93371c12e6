; rejected: a word that is declared as a reference is read or written as a number
declare void @fill(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  call void @fill(ptr %variable)
  call void @llvm.memset.p0.i64(ptr %variable, i8 0, i64 4, i1 false)
  call void @fill(ptr %variable)
  %value = load ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
