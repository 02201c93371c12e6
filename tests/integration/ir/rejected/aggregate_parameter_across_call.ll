; rejected: structure or array value with references
declare void @unknown()

define ptr addrspace(1) @f({ ptr addrspace(1), i64 } %pair) gc "statepoint-example" {
  call void @unknown()
  %first = extractvalue { ptr addrspace(1), i64 } %pair, 0
  ret ptr addrspace(1) %first
}
