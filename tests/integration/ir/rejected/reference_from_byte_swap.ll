; rejected: a reference is made from an integer
declare i64 @llvm.bswap.i64(i64)
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %swapped = call i64 @llvm.bswap.i64(i64 %address)
  %number = call i64 @llvm.bswap.i64(i64 %swapped)
  call void @collect()
  %reference = inttoptr i64 %number to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
