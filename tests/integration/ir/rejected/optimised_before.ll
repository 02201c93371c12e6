; rejected: run no optimiser before the lowering
define void @f(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %word = load i64, ptr addrspace(1) %from, align 8, !tbaa !0
  store i64 %word, ptr addrspace(1) %to, align 8, !tbaa !0
  ret void
}

!0 = !{!1, !2, i64 0}
!1 = !{!"box", !2, i64 0}
!2 = !{!"any pointer", !3, i64 0}
!3 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
