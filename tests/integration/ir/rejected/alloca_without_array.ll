; rejected: holds a reference and is also used as something else
%three = type { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i64 }

declare void @unknown(ptr)

define ptr addrspace(1) @f(i64 %bits, i64 %i) gc "statepoint-example" {
  %three = alloca %three
  %number = getelementptr %three, ptr %three, i64 0, i32 3
  store i64 %bits, ptr %number
  call void @unknown(ptr %three)
  %reference = getelementptr ptr addrspace(1), ptr %three, i64 %i
  %value = load ptr addrspace(1), ptr %reference
  ret ptr addrspace(1) %value
}
