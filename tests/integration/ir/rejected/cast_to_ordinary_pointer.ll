; rejected: a cast between a reference and an ordinary pointer
declare void @unknown()

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %plain = addrspacecast ptr addrspace(1) %object to ptr
  call void @unknown()
  %value = load i64, ptr %plain
  ret i64 %value
}
