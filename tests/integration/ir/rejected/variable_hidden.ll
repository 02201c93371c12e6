; rejected: a local variable holds a reference at a place that its type does not show
declare void @fill(ptr)

define ptr addrspace(1) @f(i1 %c) gc "statepoint-example" {
  %pair = alloca { i64, i64 }
  call void @fill(ptr %pair)
  %second = getelementptr { i64, i64 }, ptr %pair, i64 0, i32 1
  %at = select i1 %c, ptr %pair, ptr %second
  %value = load ptr addrspace(1), ptr %at
  ret ptr addrspace(1) %value
}
