; rejected: interior pointer is stored in a local variable
; A leaf that keeps interior pointers in an array, exchanges them there, and has another leaf read
; what they lead to.
define i64 @sum(ptr %pointers) noinline "gc-leaf-function" {
  %second.at = getelementptr ptr addrspace(1), ptr %pointers, i64 1
  %first = load ptr addrspace(1), ptr %pointers
  %second = load ptr addrspace(1), ptr %second.at
  %one = load i64, ptr addrspace(1) %first
  %other = load i64, ptr addrspace(1) %second
  %sum = add i64 %one, %other
  ret i64 %sum
}

define i64 @leaf(ptr addrspace(1) %object, i64 %index) noinline "gc-leaf-function" {
  %pointers = alloca [2 x ptr addrspace(1)]
  %first.at = getelementptr i8, ptr addrspace(1) %object, i64 16
  %second.at = getelementptr i8, ptr addrspace(1) %object, i64 24
  %index.at = getelementptr [2 x ptr addrspace(1)], ptr %pointers, i64 0, i64 %index
  store ptr addrspace(1) %first.at, ptr %pointers
  store ptr addrspace(1) %second.at, ptr %index.at
  %exchanged = load ptr addrspace(1), ptr %index.at
  store ptr addrspace(1) %exchanged, ptr %pointers
  %sum = call i64 @sum(ptr %pointers)
  ret i64 %sum
}

define i64 @f(ptr addrspace(1) %object, i64 %index) gc "statepoint-example" {
  %sum = call i64 @leaf(ptr addrspace(1) %object, i64 %index)
  ret i64 %sum
}
