; rejected: the stack pointer or frame pointer is moved
declare void @llvm.stackrestore.p0(ptr)
declare void @collect()

define ptr addrspace(1) @on_other_stack(ptr %stack, ptr addrspace(1) %object)
    gc "statepoint-example" {
  call void @llvm.stackrestore.p0(ptr %stack)
  call void @collect()
  ret ptr addrspace(1) %object
}
