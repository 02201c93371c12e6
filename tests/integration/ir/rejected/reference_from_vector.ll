; rejected: a reference is made from an integer
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %vector = insertelement <2 x i64> zeroinitializer, i64 %address, i32 0
  %number = extractelement <2 x i64> %vector, i32 0
  call void @collect()
  %reference = inttoptr i64 %number to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
