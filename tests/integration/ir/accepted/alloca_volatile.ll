declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  store volatile ptr addrspace(1) %a, ptr %variable
  call void @unknown()
  %value = load volatile ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
