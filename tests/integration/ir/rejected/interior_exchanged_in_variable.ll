; rejected: interior pointer is stored in a local variable
; The variable stays in memory, because of the exchange. So the leaf gives back what a word of its
; caller counts as the address of an object.
define ptr addrspace(1) @leaf(ptr addrspace(1) %object) noinline "gc-leaf-function" {
  %kept = alloca ptr addrspace(1)
  store ptr addrspace(1) %object, ptr %kept
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %old = atomicrmw xchg ptr %kept, ptr addrspace(1) %field seq_cst
  %given = load ptr addrspace(1), ptr %kept
  ret ptr addrspace(1) %given
}

declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %given = call ptr addrspace(1) @leaf(ptr addrspace(1) %object)
  call void @collect()
  ret ptr addrspace(1) %given
}
