; rejected: an interior pointer is stored
@variable = global ptr addrspace(1) null

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  store ptr addrspace(1) %field, ptr @variable
  ret void
}
