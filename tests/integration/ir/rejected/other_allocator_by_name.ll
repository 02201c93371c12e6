; rejected: call spgc_allocate(ptr type)
declare ptr addrspace(1) @GC_malloc_atomic(i64)

define i64 @leaf(i64 %size) {
  %object = call ptr addrspace(1) @GC_malloc_atomic(i64 %size) "gc-leaf-function"
  %word = load i64, ptr addrspace(1) %object
  ret i64 %word
}
