; rejected: an interior pointer is passed to a leaf that may return or store it
declare ptr addrspace(1) @same(ptr addrspace(1)) "gc-leaf-function"

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %same = call ptr addrspace(1) @same(ptr addrspace(1) %field)
  ret ptr addrspace(1) %same
}
