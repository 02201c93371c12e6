%row = type { [3 x ptr addrspace(1)], i64 }

declare void @unknown(ptr)

define ptr addrspace(1) @f(i64 %bits, i64 %i) gc "statepoint-example" {
  %row = alloca %row
  %number = getelementptr %row, ptr %row, i64 0, i32 1
  store i64 %bits, ptr %number
  call void @unknown(ptr %row)
  %reference = getelementptr [3 x ptr addrspace(1)], ptr %row, i64 0, i64 %i
  %value = load ptr addrspace(1), ptr %reference
  ret ptr addrspace(1) %value
}
