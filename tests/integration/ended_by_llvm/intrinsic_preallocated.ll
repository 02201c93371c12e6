; LLVM 19: crashed
declare token @llvm.call.preallocated.setup(i32)

define void @f() {
  %arguments = call token @llvm.call.preallocated.setup(i32 1)
  ret void
}
