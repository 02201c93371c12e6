; rejected: structure or array value with references
declare { ptr addrspace(1), i64 } @pair()
declare void @unknown()
declare void @take({ ptr addrspace(1), i64 })

define void @f() gc "statepoint-example" {
  %pair = call { ptr addrspace(1), i64 } @pair()
  call void @unknown()
  call void @take({ ptr addrspace(1), i64 } %pair)
  ret void
}
