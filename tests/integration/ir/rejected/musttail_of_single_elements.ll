; rejected: a musttail call with arguments on the stack
; A vector of a single word is passed as a word.
declare void @next(ptr addrspace(1), <1 x i64>, <1 x i64>, <1 x i64>, <1 x i64>, <1 x i64>,
    <1 x i64>)

define void @f(ptr addrspace(1) %x0, <1 x i64> %x1, <1 x i64> %x2, <1 x i64> %x3, <1 x i64> %x4,
    <1 x i64> %x5, <1 x i64> %x6) gc "statepoint-example" {
  musttail call void @next(ptr addrspace(1) %x0, <1 x i64> %x1, <1 x i64> %x2, <1 x i64> %x3,
    <1 x i64> %x4, <1 x i64> %x5, <1 x i64> %x6)
  ret void
}
