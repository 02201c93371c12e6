; LLVM 19: Cannot select: intrinsic %llvm.instrprof.increment
@name = private constant [1 x i8] c"f"
declare void @llvm.instrprof.increment(ptr, i64, i32, i32)

define void @f() {
  call void @llvm.instrprof.increment(ptr @name, i64 1, i32 1, i32 0)
  ret void
}
