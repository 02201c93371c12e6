; run: 5 = 15
; Metadata of the kinds that the lowering sets claims what is not so.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node), !spgc.word !0, !spgc.references !0
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16, !spgc.word !0
  store i64 %value, ptr addrspace(1) %at, !spgc.number !0
  ret ptr addrspace(1) %o, !spgc.word !0
}

define i64 @choose(ptr addrspace(1) %o, i1 %which) noinline gc "statepoint-example" {
entry:
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %before = getelementptr i8, ptr addrspace(1) %o, i64 8
  br i1 %which, label %left, label %right, !spgc.word !0
left:
  br label %both
right:
  br label %both
both:
  %inside = phi ptr addrspace(1) [ %at, %left ], [ %before, %right ], !is_base_value !0
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %value = load i64, ptr addrspace(1) %inside
  ret i64 %value
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %a = call ptr addrspace(1) @make(i64 %i)
  %x = call i64 @choose(ptr addrspace(1) %a, i1 true)
  %y = call i64 @choose(ptr addrspace(1) %a, i1 false)
  %xy = add i64 %x, %y
  %more = add i64 %sum, %xy
  %next = add i64 %i, 1
  %goes = icmp sle i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret i64 %more
}

!0 = !{}
