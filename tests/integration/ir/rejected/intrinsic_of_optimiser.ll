; rejected: this intrinsic may write references
; LLVM's optimiser makes it, and crashes if the module has it.
declare ptr addrspace(1) @llvm.ssa.copy.p1(ptr addrspace(1))

define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %copy = call ptr addrspace(1) @llvm.ssa.copy.p1(ptr addrspace(1) %o)
  ret ptr addrspace(1) %copy
}
