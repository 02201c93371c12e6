; rejected: llvm.localescape has to stand in a function's first block
declare void @llvm.localescape(...)

define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %number = alloca i64
  call void (...) @llvm.localescape(ptr %number)
  ret ptr addrspace(1) %o
}
