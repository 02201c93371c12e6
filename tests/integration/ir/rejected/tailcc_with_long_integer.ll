; rejected: one that is larger than a word
declare tailcc void @g(i64, i64, i64, i64, i64, i64, i64, i64, i128)

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  call tailcc void @g(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i128 9)
  ret void
}
