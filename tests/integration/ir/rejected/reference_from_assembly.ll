; rejected: a reference is made from an integer
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %number = call i64 asm "xor %0, %0", "=r,0"(i64 %address) "gc-leaf-function"
  call void @collect()
  %reference = inttoptr i64 %number to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
