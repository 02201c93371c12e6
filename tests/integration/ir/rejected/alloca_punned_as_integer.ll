; rejected: a local variable holds a reference at a place that its type does not show
declare void @unknown()

define ptr addrspace(1) @f(i64 %bits) gc "statepoint-example" {
  %variable = alloca i64
  store i64 %bits, ptr %variable
  call void @unknown()
  %value = load ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
