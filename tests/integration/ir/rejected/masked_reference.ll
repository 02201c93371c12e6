; rejected: masking a reference
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %masked = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %object, i64 -16)
  ret ptr addrspace(1) %masked
}
