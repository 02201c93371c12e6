; rejected: module flag 'RtLibUseGOT'
define void @f() { ret void }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"RtLibUseGOT", !"x"}
