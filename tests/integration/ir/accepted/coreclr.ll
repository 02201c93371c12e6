; The other strategy with statepoints.
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "coreclr" {
  call void @unknown()
  ret ptr addrspace(1) %object
}
