; rejected: registers that LLVM reads and writes by name
declare i128 @llvm.read_register.i128(metadata)
define i128 @f() { %r = call i128 @llvm.read_register.i128(metadata !0) ret i128 %r }
!0 = !{!"rsp"}
