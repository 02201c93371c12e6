; rejected: an alloca in addrspace(1)
define ptr addrspace(1) @f() gc "statepoint-example" {
  %object = alloca i64, addrspace(1)
  ret ptr addrspace(1) %object
}
