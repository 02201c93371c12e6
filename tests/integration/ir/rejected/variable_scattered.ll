; rejected: in more places than a stack map should list
declare void @fill(ptr)

define void @f() gc "statepoint-example" {
  %table = alloca [1000 x { i64, ptr addrspace(1) }]
  call void @fill(ptr %table)
  ret void
}
