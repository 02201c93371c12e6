; Stores and reads of a field, through a reference that C gives.
declare ptr addrspace(1) @fault_object() "gc-leaf-function"

define void @fault_store(ptr addrspace(1) %value) gc "statepoint-example" {
  %object = call ptr addrspace(1) @fault_object()
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  store ptr addrspace(1) %value, ptr addrspace(1) %field
  ret void
}

define i64 @fault_read() gc "statepoint-example" {
  %object = call ptr addrspace(1) @fault_object()
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %value = load i64, ptr addrspace(1) %field
  ret i64 %value
}
