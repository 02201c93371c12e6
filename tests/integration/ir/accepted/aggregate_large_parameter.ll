; A large structure is passed on as a whole.
declare void @take({ [256 x ptr addrspace(1)], i64 })

define void @f({ [256 x ptr addrspace(1)], i64 } %all) gc "statepoint-example" {
  call void @take({ [256 x ptr addrspace(1)], i64 } %all)
  ret void
}
