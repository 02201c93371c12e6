; rejected: module flag 'CG Profile'
define void @f() { ret void }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"CG Profile", i32 5}
