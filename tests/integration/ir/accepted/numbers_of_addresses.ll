; Numbers computed from addresses that are no addresses, boxed in references.
declare i64 @llvm.ctpop.i64(i64)
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
declare i64 @hash(i64) "gc-leaf-function"
declare void @print(i64)

define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %a to i64
  call void @print(i64 %address)
  %other = ptrtoint ptr addrspace(1) %b to i64
  %count = call i64 @llvm.ctpop.i64(i64 %address)
  %hash = call i64 @hash(i64 %other)
  %over = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %address, i64 %other)
  %carry = extractvalue { i64, i1 } %over, 1
  %less = icmp ult i64 %address, %other
  %order = xor i1 %less, %carry
  %bit = zext i1 %order to i64
  %both = add i64 %count, %hash
  %sum = add i64 %both, %bit
  %shifted = shl i64 %sum, 1
  %tagged = or i64 %shifted, 1
  %boxed = inttoptr i64 %tagged to ptr addrspace(1)
  ret ptr addrspace(1) %boxed
}
