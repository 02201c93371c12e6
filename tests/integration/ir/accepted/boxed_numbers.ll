; Doubles travel in reference words and merge with objects.
declare void @unknown()

define ptr addrspace(1) @f(ptr addrspace(1) %object, double %number, i1 %c,
    ptr addrspace(1) %target) gc "statepoint-example" {
entry:
  %bits = bitcast double %number to i64
  %boxed = inttoptr i64 %bits to ptr addrspace(1)
  %tagged = getelementptr i8, ptr addrspace(1) null, i64 %bits
  br i1 %c, label %one, label %join
one:
  br label %join
join:
  %value = phi ptr addrspace(1) [ %boxed, %entry ], [ %object, %one ]
  call void @unknown()
  store ptr addrspace(1) %tagged, ptr addrspace(1) %target
  ret ptr addrspace(1) %value
}
