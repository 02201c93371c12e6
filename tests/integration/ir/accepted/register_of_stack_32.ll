declare i32 @llvm.read_register.i32(metadata)
define i32 @f() { %r = call i32 @llvm.read_register.i32(metadata !0) ret i32 %r }
!0 = !{!"esp"}
