; rejected: the stack pointer or frame pointer is moved
declare void @llvm.write_register.i64(metadata, i64)
declare void @collect()

define ptr addrspace(1) @on_other_stack(i64 %stack, ptr addrspace(1) %object)
    gc "statepoint-example" {
  call void @llvm.write_register.i64(metadata !0, i64 %stack)
  call void @collect()
  ret ptr addrspace(1) %object
}

!0 = !{!"rsp"}
