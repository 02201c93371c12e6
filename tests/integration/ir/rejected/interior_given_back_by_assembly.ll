; rejected: an interior pointer is passed to a leaf that may return or store it
define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %same = call ptr addrspace(1) asm "", "=r,0"(ptr addrspace(1) %field) "gc-leaf-function"
  ret ptr addrspace(1) %same
}
