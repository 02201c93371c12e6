; rejected: an interior pointer is stored
declare void @keep(ptr)

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %out = alloca ptr, align 8
  call void @keep(ptr %out)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %where = load ptr, ptr %out, align 8
  store ptr addrspace(1) %field, ptr %where, align 8
  ret void
}
