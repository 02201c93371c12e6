; LLVM 19: crashed
define void @f() gc "statepoint-example" {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"cfguard", i32 2}
