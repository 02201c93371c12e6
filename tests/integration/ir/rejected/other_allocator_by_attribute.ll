; rejected: declared without noalias
declare noalias ptr addrspace(1) @fresh(i64)

define ptr addrspace(1) @make() gc "statepoint-example" {
  %object = call ptr addrspace(1) @fresh(i64 24)
  ret ptr addrspace(1) %object
}
