; rejected: a local variable of varying size
declare void @fill(ptr)

define ptr addrspace(1) @f(i64 %n) gc "statepoint-example" {
  %array = alloca ptr addrspace(1), i64 %n
  call void @fill(ptr %array)
  %value = load ptr addrspace(1), ptr %array
  ret ptr addrspace(1) %value
}
