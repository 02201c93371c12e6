; A loop in a function without references, for --gc=always. No function has the gc attribute.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@finished = global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)

; Returns `step` times the number of its rounds until @finished is set.
define i64 @rounds(i64 %step) noinline {
entry:
  br label %loop

loop:
  %sum = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %sum, %step
  %done = load atomic i64, ptr @finished monotonic, align 8
  %more = icmp eq i64 %done, 0
  br i1 %more, label %loop, label %exit

exit:
  ret i64 %next
}

; Its calls are marked as leaves, so it stays one.
define i64 @triple(i64 %number) noinline {
  %result = mul i64 %number, 3
  ret i64 %result
}

; Returns 0 if the object is still there, after it moved.
define i64 @spin(i64 %unused) {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %o, i64 8
  store volatile i64 5, ptr addrspace(1) %field
  %odd = call i64 @rounds(i64 2)
  %bit = and i64 %odd, 1
  %three = call i64 @triple(i64 %bit) "gc-leaf-function"
  %five = load volatile i64, ptr addrspace(1) %field
  %difference = sub i64 %five, 5
  %lost = add i64 %difference, %three
  ret i64 %lost
}
