declare void @fill(ptr)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  call void @fill(ptr %variable)
  %value = load ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
