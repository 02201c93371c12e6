; rejected: a reference is made from an integer
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %both = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %address, i64 24)
  %number = extractvalue { i64, i1 } %both, 0
  call void @collect()
  %reference = inttoptr i64 %number to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
