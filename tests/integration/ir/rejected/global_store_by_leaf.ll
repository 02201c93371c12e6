; rejected: a reference is stored in a global variable whose type does not show it
@bytes = global [8 x i8] zeroinitializer, align 8

define void @keep(ptr addrspace(1) %object) noinline "gc-leaf-function" {
  store ptr addrspace(1) %object, ptr @bytes
  ret void
}

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void @keep(ptr addrspace(1) %object)
  ret void
}
