; Managed code that waits in the system, with an object that it needs afterwards.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
@stays = external global i8

declare i64 @read(i32, ptr, i64) "gc-leaf-function"

; Returns the number of bytes that it read, which the object keeps meanwhile.
define i64 @stay_in_managed(i32 %file, ptr %byte) noinline gc "statepoint-example" !dbg !4 {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node), !dbg !6
  store atomic i8 1, ptr @stays seq_cst, align 1, !dbg !6
  %count = call i64 @read(i32 %file, ptr %byte, i64 1) "gc-leaf-function", !dbg !6
  %field = getelementptr i8, ptr addrspace(1) %o, i64 8, !dbg !6
  store i64 %count, ptr addrspace(1) %field, !dbg !6
  %more = call ptr addrspace(1) @spgc_allocate(ptr @node), !dbg !6
  %read = load volatile i64, ptr addrspace(1) %field, !dbg !6
  ret i64 %read, !dbg !6
}

; Promises to be short, and is not.
define i64 @stay_without_polls(ptr %told) noinline "spgc-no-poll" gc "statepoint-example" !dbg !8 {
entry:
  store atomic i8 1, ptr @stays seq_cst, align 1, !dbg !9
  br label %wait, !dbg !9

wait:
  %word = load atomic i8, ptr %told seq_cst, align 1, !dbg !9
  %is.told = icmp ne i8 %word, 0, !dbg !9
  br i1 %is.told, label %done, label %wait, !dbg !9

done:
  ret i64 0, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "hang.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "stay_in_managed", file: !1, line: 12, type: !5, unit: !0,
    spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 15, scope: !4)
!7 = !{null}
!8 = distinct !DISubprogram(name: "stay_without_polls", file: !1, line: 20, type: !5, unit: !0,
    spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 24, scope: !8)
