; A function without gc may use references if it calls only leaves.
declare i64 @hash(i64) "gc-leaf-function"

define i64 @f(ptr addrspace(1) %object) {
  %value = load i64, ptr addrspace(1) %object
  %h = call i64 @hash(i64 %value)
  ret i64 %h
}
