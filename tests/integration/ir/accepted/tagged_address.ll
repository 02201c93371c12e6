; The bit that `or` sets shows that the result is no address of an object, whatever %object was.
define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %tagged = or i64 %address, 1
  %reference = inttoptr i64 %tagged to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
