; A loop that calls nothing and allocates nothing, with an object live in it.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }
@finished = global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)

; Counts in the object until @finished is set; the count is right only if every store went to where the object was.
define i64 @spin(i64 %unused) gc "statepoint-example" {
entry:
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %o, i64 8
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %old = load volatile i64, ptr addrspace(1) %field
  %new = add i64 %old, 1
  store volatile i64 %new, ptr addrspace(1) %field
  %done = load atomic i64, ptr @finished monotonic, align 8
  %more = icmp eq i64 %done, 0
  br i1 %more, label %loop, label %exit

exit:
  %count = load volatile i64, ptr addrspace(1) %field
  %lost = sub i64 %next, %count
  ret i64 %lost
}
