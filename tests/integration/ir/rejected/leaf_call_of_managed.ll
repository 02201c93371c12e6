; rejected: a call of a managed function is marked as a leaf
declare void @unknown()

define void @managed() gc "statepoint-example" {
  call void @unknown()
  ret void
}

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void @managed() "gc-leaf-function"
  ret ptr addrspace(1) %object
}
