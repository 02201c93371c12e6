; LLVM 19: llvm.localescape used outside of entry block
; A poll divides the block.
declare void @llvm.localescape(...)
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %number = alloca i64
  call void (...) @llvm.localescape(ptr %number)
  call void @collect()
  ret ptr addrspace(1) %o
}
