; rejected: an interior pointer is passed to a leaf that may return or store it
define void @keep(ptr addrspace(1) %to, ptr addrspace(1) %pointer) noinline "gc-leaf-function" {
  %word = getelementptr i8, ptr addrspace(1) %to, i64 8
  store ptr addrspace(1) %pointer, ptr addrspace(1) %word
  ret void
}

define void @pass(ptr addrspace(1) %to, ptr addrspace(1) %pointer) noinline "gc-leaf-function" {
  call void @keep(ptr addrspace(1) %to, ptr addrspace(1) %pointer)
  ret void
}

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  call void @pass(ptr addrspace(1) %object, ptr addrspace(1) %field)
  ret void
}
