; rejected: interior pointer is stored in a local variable
define void @store_first(ptr %pointers, ptr addrspace(1) %to) noinline "gc-leaf-function" {
  %pointer = load ptr addrspace(1), ptr %pointers
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  store ptr addrspace(1) %pointer, ptr addrspace(1) %to.at
  ret void
}

define void @leaf(ptr addrspace(1) %object, ptr addrspace(1) %to) noinline "gc-leaf-function" {
  %pointers = alloca [2 x ptr addrspace(1)]
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  store ptr addrspace(1) %field, ptr %pointers
  call void @store_first(ptr %pointers, ptr addrspace(1) %to)
  ret void
}

define void @f(ptr addrspace(1) %object, ptr addrspace(1) %to) gc "statepoint-example" {
  call void @leaf(ptr addrspace(1) %object, ptr addrspace(1) %to)
  ret void
}
