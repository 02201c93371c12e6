; rejected: LLVM has no code for its calling convention
define cc 11 i64 @f() {
  ret i64 1
}
