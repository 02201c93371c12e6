; Calls of unmanaged code that waits, with objects live across them.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i64 @wait_for(i64)
declare void @mix(i8 signext, double, ptr, i64, i64, i64, i64, i64, i64)

; A result, through a pointer, in a loop; a call with arguments of many kinds and none.
define i64 @call_waiting(i64 %rounds) gc "statepoint-example" {
entry:
  %room = alloca double
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %first = getelementptr i8, ptr addrspace(1) %o, i64 8
  store volatile i64 0, ptr addrspace(1) %first
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %odd = trunc i64 %i to i1
  %callee = select i1 %odd, ptr @wait_for, ptr @wait_for
  %waited = call i64 %callee(i64 %i) "statepoint-id"="99" [ "gc-transition"(i64 1) ]
  call void @mix(i8 signext -3, double 2.5, ptr %room, i64 1, i64 2, i64 3, i64 4, i64 5,
  i64 6) [ "gc-transition"() ]
  %mixed = load double, ptr %room
  %whole = fptosi double %mixed to i64
  %old = load volatile i64, ptr addrspace(1) %first
  %more = add i64 %old, %waited
  %sum = add i64 %more, %whole
  store volatile i64 %sum, ptr addrspace(1) %first
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %rounds
  br i1 %again, label %loop, label %exit

exit:
  %total = load volatile i64, ptr addrspace(1) %first
  ret i64 %total
}
