; rejected: an interior pointer is returned
define ptr addrspace(1) @field(ptr addrspace(1) %object) noinline "gc-leaf-function" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  ret ptr addrspace(1) %field
}

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = call ptr addrspace(1) @field(ptr addrspace(1) %object)
  ret ptr addrspace(1) %field
}
