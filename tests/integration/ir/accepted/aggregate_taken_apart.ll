; A structure returned in registers, taken apart at once.
declare { ptr addrspace(1), i64 } @pair()
declare void @unknown()

define ptr addrspace(1) @f() gc "statepoint-example" {
  %pair = call { ptr addrspace(1), i64 } @pair()
  %first = extractvalue { ptr addrspace(1), i64 } %pair, 0
  call void @unknown()
  ret ptr addrspace(1) %first
}
