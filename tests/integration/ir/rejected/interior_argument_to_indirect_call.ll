; rejected: an interior pointer is passed
define void @f(ptr addrspace(1) %object, ptr %target, i64 %i) gc "statepoint-example" {
  %field = getelementptr i64, ptr addrspace(1) %object, i64 %i
  call void %target(ptr addrspace(1) %field)
  ret void
}
