; rejected: metadata '!llvm.pseudo_probe_desc'
!llvm.pseudo_probe_desc = !{!0}
!0 = !{i32 5}
define void @f() { ret void }
