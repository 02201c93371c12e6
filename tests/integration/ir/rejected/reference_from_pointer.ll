; rejected: a reference is made from an integer
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %pointer = inttoptr i64 %address to ptr
  %next = getelementptr i8, ptr %pointer, i64 8
  %number = ptrtoint ptr %next to i64
  call void @collect()
  %reference = inttoptr i64 %number to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
