; A local variable whose address stays at home becomes a value.
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  %variable = alloca ptr addrspace(1)
  store ptr addrspace(1) %a, ptr %variable
  call void @unknown()
  br i1 %c, label %clear, label %exit
clear:
  store ptr addrspace(1) null, ptr %variable
  br label %exit
exit:
  %value = load ptr addrspace(1), ptr %variable
  ret ptr addrspace(1) %value
}
