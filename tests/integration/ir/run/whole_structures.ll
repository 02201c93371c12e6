; run: 30 = 9000
; Structures and arrays with references live across safepoints as whole values: parameters, results
; of calls and invokes, phis, selects, frozen and loaded ones, and what is put together of them.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%pair = type { ptr addrspace(1), i64 }
%nest = type { [2 x ptr addrspace(1)], { i64, ptr addrspace(1) } }
%lanes = type { i64, <2 x ptr addrspace(1)> }

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

define i64 @sum(%pair %p) noinline gc "statepoint-example" {
  %o = extractvalue %pair %p, 0
  %n = extractvalue %pair %p, 1
  %v = call i64 @value(ptr addrspace(1) %o)
  %sum = add i64 %v, %n
  ret i64 %sum
}

define %pair @pair(i64 %v, i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %v)
  %part = insertvalue %pair poison, ptr addrspace(1) %o, 0
  %p = insertvalue %pair %part, i64 %n, 1
  ret %pair %p
}

; Its safepoint is its entry's poll.
define i64 @only_passes(%pair %p) noinline gc "statepoint-example" {
  %sum = tail call i64 @sum(%pair %p)
  ret i64 %sum
}

define fastcc i64 @fast_sum(%pair %p) noinline gc "statepoint-example" {
  %sum = call i64 @sum(%pair %p)
  ret i64 %sum
}

define fastcc i64 @must_pass(%pair %p) noinline gc "statepoint-example" {
  call void @collect()
  %sum = musttail call fastcc i64 @fast_sum(%pair %p)
  ret i64 %sum
}

; 11 + 22 + 44
define i64 @passed() noinline gc "statepoint-example" {
  %p = call %pair @pair(i64 10, i64 1)
  %x = call i64 @only_passes(%pair %p)
  %q = call %pair @pair(i64 20, i64 2)
  call void @collect()
  %y = call i64 @sum(%pair %q)
  %r = call %pair @pair(i64 40, i64 4)
  %z = call fastcc i64 @must_pass(%pair %r)
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  ret i64 %xyz
}

; 3 * 5: the result enters a loop from the invoke itself.
define i64 @in_loop() noinline gc "statepoint-example" personality ptr @spgc_personality {
entry:
  %p = invoke %pair @pair(i64 3, i64 2) to label %loop unwind label %pad

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %more, %loop ]
  %x = call i64 @sum(%pair %p)
  %more = add i64 %total, %x
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, 3
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %more

pad:
  %token = landingpad token cleanup
  ret i64 0
}

; 30 if even, 8 if odd: two invokes return to one block.
define i64 @of_two(i64 %i) noinline gc "statepoint-example" personality ptr @spgc_personality {
entry:
  %odd = trunc i64 %i to i1
  br i1 %odd, label %one, label %two

one:
  %p = invoke %pair @pair(i64 7, i64 1) to label %meet unwind label %pad

two:
  %q = invoke %pair @pair(i64 27, i64 3) to label %meet unwind label %pad

meet:
  %either = phi %pair [ %p, %one ], [ %q, %two ]
  call void @collect()
  %x = call i64 @sum(%pair %either)
  ret i64 %x

pad:
  %token = landingpad token cleanup
  ret i64 0
}

; 6 if odd, 15 if even
define i64 @chosen(i64 %i) noinline gc "statepoint-example" {
  %odd = trunc i64 %i to i1
  %p = call %pair @pair(i64 5, i64 1)
  %q = call %pair @pair(i64 13, i64 2)
  %either = select i1 %odd, %pair %p, %pair %q
  %frozen = freeze %pair %either
  call void @collect()
  %x = call i64 @sum(%pair %frozen)
  ret i64 %x
}

; The returns of both ways are one.
define %pair @one_of(%pair %p, %pair %q, i1 %first) noinline gc "statepoint-example" {
  br i1 %first, label %one, label %two

one:
  call void @collect()
  ret %pair %p

two:
  call void @collect()
  ret %pair %q
}

; 6 if odd, 15 if even
define i64 @returned(i64 %i) noinline gc "statepoint-example" {
  %odd = trunc i64 %i to i1
  %p = call %pair @pair(i64 5, i64 1)
  %q = call %pair @pair(i64 13, i64 2)
  %either = call %pair @one_of(%pair %p, %pair %q, i1 %odd)
  call void @collect()
  %x = call i64 @sum(%pair %either)
  ret i64 %x
}

; 9 + 100 + 16: a number is replaced before the safepoint, and all parts are put together behind it.
define i64 @put_together(%pair %p) noinline gc "statepoint-example" {
  %other = insertvalue %pair %p, i64 0, 1
  %o = extractvalue %pair %p, 0
  %n = extractvalue %pair %p, 1
  call void @collect()
  %x = call i64 @sum(%pair %other)
  %part = insertvalue %pair poison, ptr addrspace(1) %o, 0
  %again = insertvalue %pair %part, i64 %n, 1
  call void @collect()
  %y = call i64 @sum(%pair %again)
  %part2 = insertvalue %pair poison, ptr addrspace(1) %o, 0
  %seven = insertvalue %pair %part2, i64 7, 1
  call void @collect()
  %z = call i64 @sum(%pair %seven)
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  ret i64 %xyz
}

define i64 @sum_nest(%nest %n) noinline gc "statepoint-example" {
  %a = extractvalue %nest %n, 0, 0
  %b = extractvalue %nest %n, 0, 1
  %x = extractvalue %nest %n, 1, 0
  %c = extractvalue %nest %n, 1, 1
  %va = call i64 @value(ptr addrspace(1) %a)
  %vb = call i64 @value(ptr addrspace(1) %b)
  %vc = call i64 @value(ptr addrspace(1) %c)
  %ab = add i64 %va, %vb
  %cx = add i64 %vc, %x
  %sum = add i64 %ab, %cx
  ret i64 %sum
}

define i64 @sum_two([2 x ptr addrspace(1)] %two) noinline gc "statepoint-example" {
  call void @collect()
  %a = extractvalue [2 x ptr addrspace(1)] %two, 0
  %b = extractvalue [2 x ptr addrspace(1)] %two, 1
  %va = call i64 @value(ptr addrspace(1) %a)
  %vb = call i64 @value(ptr addrspace(1) %b)
  %sum = add i64 %va, %vb
  ret i64 %sum
}

; All, and its first two references once more.
define i64 @pass_nest(%nest %n) noinline gc "statepoint-example" {
  %two = extractvalue %nest %n, 0
  call void @collect()
  %x = call i64 @sum_nest(%nest %n)
  %y = call i64 @sum_two([2 x ptr addrspace(1)] %two)
  %sum = add i64 %x, %y
  ret i64 %sum
}

; 1 + 2 + 3 + 4 + 1 + 2
define i64 @nested() noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %c = call ptr addrspace(1) @make(i64 3)
  %n0 = insertvalue %nest zeroinitializer, ptr addrspace(1) %a, 0, 0
  %n1 = insertvalue %nest %n0, ptr addrspace(1) %b, 0, 1
  %n2 = insertvalue %nest %n1, i64 4, 1, 0
  %n3 = insertvalue %nest %n2, ptr addrspace(1) %c, 1, 1
  %x = call i64 @pass_nest(%nest %n3)
  ret i64 %x
}

define i64 @sum_lanes(%lanes %l) noinline gc "statepoint-example" {
  %n = extractvalue %lanes %l, 0
  %both = extractvalue %lanes %l, 1
  %a = extractelement <2 x ptr addrspace(1)> %both, i32 0
  %b = extractelement <2 x ptr addrspace(1)> %both, i32 1
  %va = call i64 @value(ptr addrspace(1) %a)
  %vb = call i64 @value(ptr addrspace(1) %b)
  %ab = add i64 %va, %vb
  %sum = add i64 %ab, %n
  ret i64 %sum
}

define i64 @pass_lanes(%lanes %l) noinline gc "statepoint-example" {
  call void @collect()
  %sum = call i64 @sum_lanes(%lanes %l)
  ret i64 %sum
}

; 2 + 5 + 9
define i64 @of_lanes() noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 2)
  %b = call ptr addrspace(1) @make(i64 5)
  %one = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %a, i32 0
  %two = insertelement <2 x ptr addrspace(1)> %one, ptr addrspace(1) %b, i32 1
  %part = insertvalue %lanes poison, i64 9, 0
  %whole = insertvalue %lanes %part, <2 x ptr addrspace(1)> %two, 1
  %x = call i64 @pass_lanes(%lanes %whole)
  ret i64 %x
}

; 6 + 8: a whole object is copied, with a safepoint between.
define i64 @copied() noinline gc "statepoint-example" {
  %from = call ptr addrspace(1) @make(i64 8)
  %child = call ptr addrspace(1) @make(i64 6)
  %child.at = getelementptr i8, ptr addrspace(1) %from, i64 24
  store ptr addrspace(1) %child, ptr addrspace(1) %child.at
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %all = load { ptr addrspace(1), i64, ptr addrspace(1) }, ptr addrspace(1) %from.at
  %to = call ptr addrspace(1) @make(i64 0)
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  store { ptr addrspace(1), i64, ptr addrspace(1) } %all, ptr addrspace(1) %to.at
  call void @collect()
  %copy.at = getelementptr i8, ptr addrspace(1) %to, i64 24
  %copy = load ptr addrspace(1), ptr addrspace(1) %copy.at
  %x = call i64 @value(ptr addrspace(1) %copy)
  %y = call i64 @value(ptr addrspace(1) %to)
  %sum = add i64 %x, %y
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %a = call i64 @passed()
  %b = call i64 @in_loop()
  %c = call i64 @of_two(i64 %i)
  %d = call i64 @chosen(i64 %i)
  %e = call i64 @returned(i64 %i)
  %p = call %pair @pair(i64 9, i64 91)
  %f = call i64 @put_together(%pair %p)
  %g = call i64 @nested()
  %h = call i64 @of_lanes()
  %j = call i64 @copied()
  %s1 = add i64 %total, %a
  %s2 = add i64 %s1, %b
  %s3 = add i64 %s2, %c
  %s4 = add i64 %s3, %d
  %s5 = add i64 %s4, %e
  %s6 = add i64 %s5, %f
  %s7 = add i64 %s6, %g
  %s8 = add i64 %s7, %h
  %sum = add i64 %s8, %j
  %next = add i64 %i, 1
  %done = icmp ugt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
