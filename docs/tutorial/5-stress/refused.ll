; What a compiler might print for (+ a b): wrong.
define ptr addrspace(1) @sum(ptr addrspace(1) %a, ptr addrspace(1) %b)
    gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %both = add i64 %x, %y
  %word = sub i64 %both, 1
  %value = inttoptr i64 %word to ptr addrspace(1)
  ret ptr addrspace(1) %value
}
