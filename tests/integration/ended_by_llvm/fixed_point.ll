; LLVM 19: Unsupported library call operation!
declare i64 @llvm.smul.fix.sat.i64(i64, i64, i32)
declare i128 @llvm.udiv.fix.i128(i128,i128,i32)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare i999 @llvm.bitreverse.i999(i999)
define i999 @f(i999 %x) { %z = call i999 @llvm.bitreverse.i999(i999 %x) ret i999 %z }
define i128 @g(i128 %x) { %z = call i128 @llvm.udiv.fix.i128(i128 %x, i128 %x, i32 5) ret i128 %z }
