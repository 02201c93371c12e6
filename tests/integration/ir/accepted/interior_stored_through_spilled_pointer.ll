; What clang makes of always_inline functions without optimisation: their parameters are variables.
declare void @unknown()
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %out = alloca ptr, align 8
  %function = alloca ptr, align 8
  %cursor = alloca ptr addrspace(1), align 8
  store ptr %cursor, ptr %out, align 8
  store ptr @leaf, ptr %function, align 8
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %where = load ptr, ptr %out, align 8
  store ptr addrspace(1) %field, ptr %where, align 8
  call void @unknown()
  %called = load ptr, ptr %function, align 8
  %inside = load ptr addrspace(1), ptr %cursor, align 8
  %next = getelementptr i8, ptr addrspace(1) %inside, i64 8
  call void %called(ptr addrspace(1) %next)
  %value = load i64, ptr addrspace(1) %next, align 8
  ret i64 %value
}
