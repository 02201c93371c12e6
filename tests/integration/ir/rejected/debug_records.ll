; rejected: tree.c:9: function 'visit', variable 'second': `call void @increment(ptr addrspace(1) %first, ptr addrspace(1) %field)`: an interior pointer is passed
; The place is told by debug information, and the module keeps it as it is.
declare void @increment(ptr addrspace(1), ptr addrspace(1))

define void @visit(ptr addrspace(1) %first, ptr addrspace(1) %0) gc "statepoint-example" !dbg !4 {
  %second = alloca ptr addrspace(1)
  store ptr addrspace(1) %0, ptr %second
    #dbg_value(ptr addrspace(1) %first, !8, !DIExpression(), !10)
    #dbg_declare(ptr %second, !9, !DIExpression(), !10)
  %node = load ptr addrspace(1), ptr %second, !dbg !11
  %field = getelementptr i8, ptr addrspace(1) %node, i64 16
  call void @increment(ptr addrspace(1) %first, ptr addrspace(1) %field)
  ret void, !dbg !11
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "tree.c", directory: "/src")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "visit", file: !1, line: 7, type: !5, unit: !0,
    spFlags: DISPFlagDefinition, retainedNodes: !7)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !{!8, !9}
!8 = !DILocalVariable(name: "first", arg: 1, scope: !4, file: !1, line: 7)
!9 = !DILocalVariable(name: "second", arg: 2, scope: !4, file: !1, line: 7)
!10 = !DILocation(line: 7, scope: !4)
!11 = !DILocation(line: 9, scope: !4)
