declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.write_register.i64(metadata, i64)
define i64 @f() { %r = call i64 @llvm.read_register.i64(metadata !0) call void
    @llvm.write_register.i64(metadata !0, i64 %r) ret i64 %r }
!0 = !{!"rsp"}
