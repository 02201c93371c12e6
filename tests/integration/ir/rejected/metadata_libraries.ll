; rejected: metadata '!llvm.dependent-libraries'
!llvm.dependent-libraries = !{!0}
!0 = !{i32 5}
define void @f() { ret void }
