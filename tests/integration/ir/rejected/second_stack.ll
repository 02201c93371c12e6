; rejected: safestack moves local variables to a stack that the collector does not see
declare void @fill(ptr)

define ptr addrspace(1) @f() safestack gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  call void @fill(ptr %local)
  %object = load ptr addrspace(1), ptr %local
  ret ptr addrspace(1) %object
}
