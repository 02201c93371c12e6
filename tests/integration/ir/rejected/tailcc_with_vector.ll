; rejected: one that is larger than a word
define swifttailcc i64 @f(ptr addrspace(1) %o, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g,
    i64 %h, i64 %i, <4 x i32> %j) gc "statepoint-example" {
  ret i64 %i
}
