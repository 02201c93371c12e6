; Words on the stack, and a long integer in registers.
declare tailcc void @g(i64, i64, i64, i64, i64, i64, i64, i64, double)
declare tailcc void @h(i64, i128)

define tailcc void @f(ptr addrspace(1) %o, i64 %n) gc "statepoint-example" {
  call tailcc void @g(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, double 9.0)
  call tailcc void @h(i64 %n, i128 2)
  ret void
}
