; rejected: module flag 'CG Profile'
define void @f() { ret void }
!llvm.module.flags = !{!0}
!0 = !{i32 5, !"CG Profile", !1}
!1 = !{!2}
!2 = !{ptr @f, i64 1}
