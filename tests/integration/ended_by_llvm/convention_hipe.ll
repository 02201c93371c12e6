; LLVM 19: Can't generate HiPE prologue without runtime parameters
define cc 11 i64 @f() {
  ret i64 1
}
