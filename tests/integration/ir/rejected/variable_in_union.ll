; rejected: a local variable holds a reference at a place that its type does not show
declare void @fill(ptr)

define ptr addrspace(1) @f(i64 %i) gc "statepoint-example" {
  %words = alloca [4 x { i64 }]
  call void @fill(ptr %words)
  %at = getelementptr [4 x { i64 }], ptr %words, i64 0, i64 %i
  %value = load ptr addrspace(1), ptr %at
  call void @fill(ptr %words)
  ret ptr addrspace(1) %value
}
