; rejected: takes memory of another allocator for an object
declare ptr addrspace(1) @malloc(i64)

define ptr addrspace(1) @cons(i64 %value, ptr addrspace(1) %next) gc "statepoint-example" {
  %cell = call ptr addrspace(1) @malloc(i64 24)
  %next.field = getelementptr i8, ptr addrspace(1) %cell, i64 16
  store ptr addrspace(1) %next, ptr addrspace(1) %next.field
  ret ptr addrspace(1) %cell
}
