; rejected: an interior pointer is stored
define void @keep(ptr addrspace(1) %to, ptr addrspace(1) %object) noinline optnone {
  %variable = alloca ptr addrspace(1)
  store ptr addrspace(1) %object, ptr %variable
  %same = load ptr addrspace(1), ptr %variable
  %field = getelementptr i8, ptr addrspace(1) %same, i64 16
  %word = getelementptr i8, ptr addrspace(1) %to, i64 8
  store ptr addrspace(1) %field, ptr addrspace(1) %word
  ret void
}

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void @keep(ptr addrspace(1) %object, ptr addrspace(1) %object)
  ret void
}
