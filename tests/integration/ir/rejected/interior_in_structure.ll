; rejected: an interior pointer
define { ptr addrspace(1), i64 } @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %inner = getelementptr i8, ptr addrspace(1) %o, i64 8
  %s = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %inner, 0
  ret { ptr addrspace(1), i64 } %s
}
