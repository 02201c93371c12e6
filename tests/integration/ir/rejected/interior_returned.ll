; rejected: an interior pointer is returned
define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  ret ptr addrspace(1) %field
}
