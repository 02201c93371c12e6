; What a call returns is taken apart only after another one.
declare { ptr addrspace(1), i64 } @pair()
declare void @unknown()

define ptr addrspace(1) @f() gc "statepoint-example" {
  %pair = call { ptr addrspace(1), i64 } @pair()
  call void @unknown()
  %first = extractvalue { ptr addrspace(1), i64 } %pair, 0
  ret ptr addrspace(1) %first
}
