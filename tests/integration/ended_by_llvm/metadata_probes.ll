; LLVM 19: crashed
!llvm.pseudo_probe_desc = !{!0}
!0 = !{i32 5}
define void @f() { ret void }
