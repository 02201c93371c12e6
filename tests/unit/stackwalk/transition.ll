; A call that says what the thread changes from and to: its statepoint is flagged. LLVM has no code
; for it on AArch64 (llvm issue 61264).
declare void @collect()

define i64 @call_with_transition(ptr addrspace(1) %a) uwtable(sync) gc "statepoint-example" {
  call void @collect() [ "gc-transition"(i64 1, i64 2) ]
  %v = load i64, ptr addrspace(1) %a
  ret i64 %v
}
