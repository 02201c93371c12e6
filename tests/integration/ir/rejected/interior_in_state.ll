; rejected: an interior pointer is in a "deopt" bundle, and counts as the address of an object
declare void @call()

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  call void @call() [ "deopt"(i32 1, ptr addrspace(1) %field) ]
  %value = load i64, ptr addrspace(1) %field
  ret i64 %value
}
