; rejected: a reference is stored in a global variable whose type does not show it
@pair = global { i64, ptr addrspace(1) } zeroinitializer

define void @keep(ptr addrspace(1) %object) gc "statepoint-example" {
  %pair = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %object, 0
  store { ptr addrspace(1), i64 } %pair, ptr @pair
  ret void
}
