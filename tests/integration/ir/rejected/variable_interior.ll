; rejected: an interior pointer is stored in a local variable
declare void @advance(ptr)

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %at = alloca ptr addrspace(1)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  store ptr addrspace(1) %field, ptr %at
  call void @advance(ptr %at)
  %now = load ptr addrspace(1), ptr %at
  %value = load i64, ptr addrspace(1) %now
  ret i64 %value
}
