; run: 40 = 780
; A reference that an exchange returns lives across safepoints: the exchange is made once, of the
; field.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

; Puts a new object into the field, and returns the number of the one that was there.
define i64 @exchange(ptr addrspace(1) %holder, i64 %i) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @make(i64 %i)
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %old = atomicrmw xchg ptr addrspace(1) %field, ptr addrspace(1) %new seq_cst
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %value = call i64 @value(ptr addrspace(1) %old)
  ret i64 %value
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  %holder = call ptr addrspace(1) @make(i64 7)
  %first = call ptr addrspace(1) @make(i64 0)
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  store ptr addrspace(1) %first, ptr addrspace(1) %field
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %one = call i64 @exchange(ptr addrspace(1) %holder, i64 %i)
  %sum = add i64 %total, %one
  %next = add i64 %i, 1
  %done = icmp ugt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
