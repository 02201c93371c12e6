; rejected: an interior pointer is passed
declare void @keep(ptr)

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %function = alloca ptr, align 8
  call void @keep(ptr %function)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %called = load ptr, ptr %function, align 8
  call void %called(ptr addrspace(1) %field)
  ret void
}
