; A loop that calls nothing and allocates nothing, with an object live in it.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@finished = global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)

; Counts in the object until @finished is set; the count is right only if every store went to where
; the object was.
define i64 @spin(i64 %unused) gc "statepoint-example" !dbg !4 {
entry:
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node), !dbg !6
  %field = getelementptr i8, ptr addrspace(1) %o, i64 8, !dbg !6
  br label %loop, !dbg !6

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ], !dbg !6
  %next = add i64 %i, 1, !dbg !6
  %old = load volatile i64, ptr addrspace(1) %field, !dbg !6
  %new = add i64 %old, 1, !dbg !6
  store volatile i64 %new, ptr addrspace(1) %field, !dbg !6
  %done = load atomic i64, ptr @finished monotonic, align 8, !dbg !6
  %more = icmp eq i64 %done, 0, !dbg !6
  br i1 %more, label %loop, label %exit, !dbg !6

exit:
  %count = load volatile i64, ptr addrspace(1) %field, !dbg !6
  %lost = sub i64 %next, %count, !dbg !6
  ret i64 %lost, !dbg !6
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "spin.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "spin", file: !1, line: 12, type: !5, unit: !0,
    spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 15, scope: !4)
!7 = !{null}
