; rejected: not aligned to 8 bytes
declare void @fill(ptr)

define ptr addrspace(1) @f() gc "statepoint-example" {
  %packed = alloca <{ i32, ptr addrspace(1) }>
  call void @fill(ptr %packed)
  %at = getelementptr <{ i32, ptr addrspace(1) }>, ptr %packed, i64 0, i32 1
  %value = load ptr addrspace(1), ptr %at, align 4
  ret ptr addrspace(1) %value
}
