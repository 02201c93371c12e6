; rejected: objects are aligned to 8 bytes, and an atomic access of 16 bytes needs more
define i128 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %value = load atomic i128, ptr addrspace(1) %field seq_cst, align 16
  ret i128 %value
}
