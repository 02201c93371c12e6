; The optimiser removes what sets a tag if it can prove the bits.
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %a.bits = ptrtoint ptr addrspace(1) %a to i64
  %b.bits = ptrtoint ptr addrspace(1) %b to i64
  %product = mul i64 %a.bits, %b.bits
  %sum = add i64 %product, 4
  %shifted = shl i64 %sum, 1
  %tagged = add i64 %shifted, 1
  %number = inttoptr i64 %tagged to ptr addrspace(1)
  ret ptr addrspace(1) %number
}

; A number and its predecessor differ in bit 0.
define ptr addrspace(1) @g(ptr addrspace(1) %a) gc "statepoint-example" {
  %bits = ptrtoint ptr addrspace(1) %a to i64
  %before = add i64 %bits, -1
  %differing = xor i64 %bits, %before
  %tagged = or i64 %differing, 1
  %number = inttoptr i64 %tagged to ptr addrspace(1)
  ret ptr addrspace(1) %number
}
