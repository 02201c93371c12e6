; References are promoted out of allocas even where nothing else is optimised.
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a) noinline optnone gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  store ptr addrspace(1) %a, ptr %variable
  call void @unknown()
  %value = load ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
