; rejected: a function of the C library returns a pointer into an object, which
declare ptr addrspace(1) @memchr(ptr addrspace(1), i32, i64)

define i64 @find(ptr addrspace(1) %o, i64 %length) gc "statepoint-example" {
  %text = getelementptr i8, ptr addrspace(1) %o, i64 16
  %at = call ptr addrspace(1) @memchr(ptr addrspace(1) %text, i32 47, i64 %length)
  %found = icmp ne ptr addrspace(1) %at, null
  %number = zext i1 %found to i64
  ret i64 %number
}
