; LLVM 19: Do not know how to expand the result of this operator!
declare i128 @llvm.read_register.i128(metadata)
define i128 @f() { %r = call i128 @llvm.read_register.i128(metadata !0) ret i128 %r }
!0 = !{!"rsp"}
