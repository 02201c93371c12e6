; rejected: a local variable holds a reference at a place that its type does not show
declare void @collect()

define ptr addrspace(1) @f(ptr byval([24 x i8]) align 8 %p) gc "statepoint-example" {
  call void @collect()
  %at = getelementptr i8, ptr %p, i64 16
  %o = load ptr addrspace(1), ptr %at
  ret ptr addrspace(1) %o
}
