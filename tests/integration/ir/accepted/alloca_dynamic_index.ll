declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b,
    i64 %i) gc "statepoint-example" {
  %array = alloca [4 x ptr addrspace(1)]
  %second = getelementptr [4 x ptr addrspace(1)], ptr %array, i64 0, i64 1
  store ptr addrspace(1) %a, ptr %array
  store ptr addrspace(1) %b, ptr %second
  call void @unknown()
  %at = getelementptr [4 x ptr addrspace(1)], ptr %array, i64 0, i64 %i
  %value = load ptr addrspace(1), ptr %at
  ret ptr addrspace(1) %value
}
