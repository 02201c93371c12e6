; rejected: LLVM has no code for this intrinsic on this processor
declare token @llvm.call.preallocated.setup(i32)

define void @f() {
  %arguments = call token @llvm.call.preallocated.setup(i32 1)
  ret void
}
