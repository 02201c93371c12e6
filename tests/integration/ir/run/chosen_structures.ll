; run: 5 = 113
; Phis of structures with references: a switch that comes to one by several edges, invokes that end
; the blocks in front of one, phis at a landing pad, and two that exchange their values in a loop.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%pair = type { ptr addrspace(1), i64 }

@node.offsets = internal constant [2 x i32] [i32 8, i32 24]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr @spgc_personality(...)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define void @collect() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret void
}

define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  call void @collect()
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define %pair @pair(i64 %v, i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %v)
  %part = insertvalue %pair poison, ptr addrspace(1) %o, 0
  %p = insertvalue %pair %part, i64 %n, 1
  ret %pair %p
}

define i64 @sum(%pair %p) noinline gc "statepoint-example" {
  %o = extractvalue %pair %p, 0
  %n = extractvalue %pair %p, 1
  %v = call i64 @value(ptr addrspace(1) %o)
  %sum = add i64 %v, %n
  ret i64 %sum
}

; 11 for 1, 2 or 3; otherwise 22
define i64 @by_switch(i64 %n, %pair %a, %pair %b) noinline gc "statepoint-example" {
  call void @collect()
  switch i64 %n, label %other [
    i64 1, label %join
    i64 2, label %join
    i64 3, label %join
  ]

other:
  call void @collect()
  br label %join

join:
  %p = phi %pair [ %a, %0 ], [ %a, %0 ], [ %a, %0 ], [ %b, %other ]
  call void @collect()
  %sum = call i64 @sum(%pair %p)
  ret i64 %sum
}

; 11 for 0, otherwise 22
define i64 @by_invoke(i64 %n, %pair %a, %pair %b) noinline gc "statepoint-example"
    personality ptr @spgc_personality {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %yes, label %no

yes:
  invoke void @collect() to label %join unwind label %pad

no:
  invoke void @collect() to label %join unwind label %pad

join:
  %p = phi %pair [ %a, %yes ], [ %b, %no ]
  %sum = call i64 @sum(%pair %p)
  ret i64 %sum

pad:
  %q = phi %pair [ %b, %yes ], [ %a, %no ]
  %token = landingpad token
      cleanup
  %other.sum = call i64 @sum(%pair %q)
  ret i64 %other.sum
}

; 11, 22 and 14 for 3
define i64 @in_turn(i64 %n, %pair %a, %pair %b) noinline gc "statepoint-example"
    personality ptr @spgc_personality {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %again ], [ %next, %first ]
  %total = phi i64 [ 0, %entry ], [ %sum, %again ], [ %sum, %first ]
  %p = phi %pair [ %a, %entry ], [ %q, %again ], [ %q, %first ]
  %q = phi %pair [ %b, %entry ], [ %p, %again ], [ %new, %first ]
  %part = call i64 @sum(%pair %p)
  %sum = add i64 %total, %part
  %next = add i64 %i, 1
  %is_first = icmp eq i64 %i, 1
  br i1 %is_first, label %first, label %others

first:
  %new = invoke %pair @pair(i64 10, i64 4) to label %loop unwind label %pad

others:
  %more = icmp ult i64 %i, %n
  br i1 %more, label %again, label %done

again:
  invoke void @collect() to label %loop unwind label %pad

pad:
  %left = phi %pair [ %p, %first ], [ %q, %again ]
  %token = landingpad token
      cleanup
  %left.sum = call i64 @sum(%pair %left)
  ret i64 %left.sum

done:
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call %pair @pair(i64 10, i64 1)
  %b = call %pair @pair(i64 20, i64 2)
  %1 = call i64 @by_switch(i64 2, %pair %a, %pair %b)
  %2 = call i64 @by_switch(i64 %n, %pair %a, %pair %b)
  %3 = call i64 @by_invoke(i64 0, %pair %a, %pair %b)
  %4 = call i64 @by_invoke(i64 %n, %pair %a, %pair %b)
  %5 = call i64 @in_turn(i64 3, %pair %a, %pair %b)
  %one = add i64 %1, %2
  %two = add i64 %3, %4
  %6 = add i64 %one, %two
  %7 = add i64 %5, %6
  ret i64 %7
}
