; A function without unwind information of its own gets some.
declare void @unknown() nounwind

define ptr addrspace(1) @f(ptr addrspace(1) %a) nounwind gc "statepoint-example" {
  call void @unknown()
  ret ptr addrspace(1) %a
}
