; A function of the module with the name of a library function is called like any other.
declare void @unknown()

define internal i64 @strlen(ptr %text) noinline gc "statepoint-example" {
  call void @unknown()
  ret i64 1
}

define ptr addrspace(1) @f(ptr addrspace(1) %object, ptr %text) gc "statepoint-example" {
  %n = call i64 @strlen(ptr %text)
  ret ptr addrspace(1) %object
}
