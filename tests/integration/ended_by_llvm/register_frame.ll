; LLVM 19: register rbp is allocatable: function has no frame pointer
declare i64 @llvm.read_register.i64(metadata)
define i64 @f() { %r = call i64 @llvm.read_register.i64(metadata !0) ret i64 %r }
!0 = !{!"rbp"}
