; rejected: stored through an ordinary pointer
define void @f(ptr addrspace(1) %o, ptr addrspace(1) %value) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %o to i64
  %field = add i64 %address, 8
  %pointer = inttoptr i64 %field to ptr
  store ptr addrspace(1) %value, ptr %pointer
  ret void
}
