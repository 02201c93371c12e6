; rejected: a reference is stored in a global variable whose type does not show it
@pair = global { ptr addrspace(1), i64 } zeroinitializer

define void @keep(ptr addrspace(1) %object) gc "statepoint-example" {
  %first = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %object, i32 0
  %both = insertelement <2 x ptr addrspace(1)> %first, ptr addrspace(1) %object, i32 1
  store <2 x ptr addrspace(1)> %both, ptr @pair, align 8
  ret void
}
