; rejected: a leaf has a gc attribute
define i64 @f(ptr addrspace(1) %object) "gc-leaf-function" gc "statepoint-example" {
  %value = load i64, ptr addrspace(1) %object
  ret i64 %value
}
