; rejected: no code for this intrinsic
declare i64 @llvm.vscale.i64()
define i64 @f() { %x = call i64 @llvm.vscale.i64() ret i64 %x }
