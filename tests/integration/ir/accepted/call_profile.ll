define void @f() { ret void }
define void @g() { call void @f() ret void }
!llvm.module.flags = !{!0}
!0 = !{i32 5, !"CG Profile", !1}
!1 = !{!2, !3}
!2 = !{ptr @g, ptr @f, i64 12}
!3 = !{ptr @g, null, i64 12}
