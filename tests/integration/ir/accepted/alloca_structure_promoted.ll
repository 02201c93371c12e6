; A structure of references in a local variable comes apart.
%pair = type { ptr addrspace(1), ptr addrspace(1), i64 }
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %variable = alloca %pair
  %second = getelementptr %pair, ptr %variable, i32 0, i32 1
  store ptr addrspace(1) %a, ptr %variable
  store ptr addrspace(1) %b, ptr %second
  call void @unknown()
  %value = load ptr addrspace(1), ptr %second
  ret ptr addrspace(1) %value
}
