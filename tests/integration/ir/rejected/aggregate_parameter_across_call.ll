; rejected: structure or array value with references
declare void @unknown()
declare void @take({ ptr addrspace(1), i64 })

define void @f({ ptr addrspace(1), i64 } %pair) gc "statepoint-example" {
  call void @unknown()
  call void @take({ ptr addrspace(1), i64 } %pair)
  ret void
}
