; Calls of unmanaged code that waits, with objects live across them.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr @spgc_call_blocking(ptr, ptr)
declare ptr @wait_for(ptr)

; An argument and a result that lie in a variable, in a loop.
define i64 @call_waiting(i64 %rounds) gc "statepoint-example" {
entry:
  %number = alloca i64
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %first = getelementptr i8, ptr addrspace(1) %o, i64 8
  store volatile i64 0, ptr addrspace(1) %first
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store i64 %i, ptr %number
  %result = call ptr @spgc_call_blocking(ptr @wait_for, ptr %number) "statepoint-id"="99"
  %waited = load i64, ptr %result
  %old = load volatile i64, ptr addrspace(1) %first
  %sum = add i64 %old, %waited
  store volatile i64 %sum, ptr addrspace(1) %first
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %rounds
  br i1 %again, label %loop, label %exit

exit:
  %total = load volatile i64, ptr addrspace(1) %first
  ret i64 %total
}
