; rejected: the address of an object is stored as an integer
; What C makes of exchanges of references: integers go in and come out, and are references before
; and after. They are live across safepoints on either side.
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
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define i64 @exchanged(ptr addrspace(1) %holder, i64 %i) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @make(i64 %i)
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %in = ptrtoint ptr addrspace(1) %new to i64
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %out = atomicrmw xchg ptr addrspace(1) %field, i64 %in seq_cst
  %more = call ptr addrspace(1) @make(i64 -1)
  %old = inttoptr i64 %out to ptr addrspace(1)
  %value = call i64 @value(ptr addrspace(1) %old)
  ret i64 %value
}

; The value that was found, twice, if the field holds the new one afterwards.
define i64 @compared(ptr addrspace(1) %holder, i64 %i) noinline gc "statepoint-example" {
entry:
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %expected = load ptr addrspace(1), ptr addrspace(1) %field
  %before = ptrtoint ptr addrspace(1) %expected to i64
  %new = call ptr addrspace(1) @make(i64 %i)
  %in = ptrtoint ptr addrspace(1) %new to i64
  %pair = cmpxchg ptr addrspace(1) %field, i64 %before, i64 %in acq_rel acquire
  %found = extractvalue { i64, i1 } %pair, 0
  %same = extractvalue { i64, i1 } %pair, 1
  br i1 %same, label %stored, label %refused

stored:
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %old = inttoptr i64 %found to ptr addrspace(1)
  %value = call i64 @value(ptr addrspace(1) %old)
  %now = load atomic i64, ptr addrspace(1) %field acquire, align 8
  %more = call ptr addrspace(1) @make(i64 -1)
  %reference = inttoptr i64 %now to ptr addrspace(1)
  %other = call i64 @value(ptr addrspace(1) %reference)
  %sum = add i64 %value, %other
  ret i64 %sum

refused:
  ret i64 -1000000
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  %holder = call ptr addrspace(1) @make(i64 7)
  %first = call ptr addrspace(1) @make(i64 0)
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  store ptr addrspace(1) %first, ptr addrspace(1) %field
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %old = call i64 @exchanged(ptr addrspace(1) %holder, i64 %i)
  %twice = shl i64 %i, 1
  %both = call i64 @compared(ptr addrspace(1) %holder, i64 %twice)
  %part = add i64 %total, %old
  %sum = add i64 %part, %both
  %next = add i64 %i, 1
  %done = icmp uge i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
