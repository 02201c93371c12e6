; Statepoints keep their own deopt state, and unwind edges theirs.
declare void @fill(ptr)
declare i32 @personality(...)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" personality
    ptr @personality {
entry:
  %pair = alloca { i64, ptr addrspace(1) }
  call void @fill(ptr %pair) [ "deopt"(i64 7, ptr addrspace(1) %object) ]
  invoke void @fill(ptr %pair) "statepoint-id"="42" to label %done unwind label %pad
done:
  %at = getelementptr { i64, ptr addrspace(1) }, ptr %pair, i64 0, i32 1
  %value = load ptr addrspace(1), ptr %at
  ret ptr addrspace(1) %value
pad:
  %token = landingpad token cleanup
  ret ptr addrspace(1) %object
}
