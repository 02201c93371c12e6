; LLVM 19: In function: f
declare i64 @llvm.vscale.i64()
define i64 @f() { %x = call i64 @llvm.vscale.i64() ret i64 %x }
