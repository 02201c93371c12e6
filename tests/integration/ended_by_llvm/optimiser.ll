; LLVM 19 -O2: LLVM's optimiser, or the lowering, crashed (SIGSEGV)
declare i64 @llvm.ssa.copy.i64(i64)

define internal i64 @copied(i64 %number) {
  %copy = call i64 @llvm.ssa.copy.i64(i64 %number)
  ret i64 %copy
}

define i64 @f() {
  %copy = call i64 @copied(i64 1)
  ret i64 %copy
}
