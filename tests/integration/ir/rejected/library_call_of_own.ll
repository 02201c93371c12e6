; rejected: an interior pointer is passed
; A function with another type than the C library's, which may be the frontend's own.
declare i64 @strcmp(ptr addrspace(1), ptr addrspace(1))

define i64 @order(ptr addrspace(1) %o, ptr addrspace(1) %p) gc "statepoint-example" {
  %text = getelementptr i8, ptr addrspace(1) %o, i64 16
  %order = call i64 @strcmp(ptr addrspace(1) %text, ptr addrspace(1) %p)
  ret i64 %order
}
