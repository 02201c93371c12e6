; Where the function is inlined, no interior pointer is passed or returned.
declare void @unknown()

define internal ptr addrspace(1) @next(ptr addrspace(1) %at) alwaysinline gc "statepoint-example" {
  %next = getelementptr i8, ptr addrspace(1) %at, i64 8
  ret ptr addrspace(1) %next
}

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %at = call ptr addrspace(1) @next(ptr addrspace(1) %field)
  call void @unknown()
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}
