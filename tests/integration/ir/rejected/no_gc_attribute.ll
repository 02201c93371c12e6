; rejected: has no gc attribute
declare void @unknown()

define i64 @f(ptr addrspace(1) %object) {
  call void @unknown()
  %value = load i64, ptr addrspace(1) %object
  ret i64 %value
}
