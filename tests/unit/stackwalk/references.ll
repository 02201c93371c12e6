; References of every kind that a frame can hold across a call: derived ones, constants,
; transitions, other intrinsics' records beside statepoints. A choice that is never made keeps a
; derived pointer from being computed anew after the call.

@table = addrspace(1) constant [4 x i64] [i64 7, i64 70, i64 700, i64 7000]

declare void @collect()
declare void @collect_below_c_frames(i64)
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)

; Four pointers derived from one base, at distances the caller chooses; the base itself is not used
; again.
define i64 @sum_through_distances(ptr addrspace(1) %a, i64 %d1, i64 %d2, i64 %d3, i64 %d4,
    i1 %never) uwtable(sync) gc "statepoint-example" {
  %g1 = getelementptr i8, ptr addrspace(1) %a, i64 %d1
  %g2 = getelementptr i8, ptr addrspace(1) %a, i64 %d2
  %g3 = getelementptr i8, ptr addrspace(1) %a, i64 %d3
  %g4 = getelementptr i8, ptr addrspace(1) %a, i64 %d4
  %p1 = select i1 %never, ptr addrspace(1) %a, ptr addrspace(1) %g1
  %p2 = select i1 %never, ptr addrspace(1) %a, ptr addrspace(1) %g2
  %p3 = select i1 %never, ptr addrspace(1) %a, ptr addrspace(1) %g3
  %p4 = select i1 %never, ptr addrspace(1) %a, ptr addrspace(1) %g4
  call void @collect()
  call void @collect()
  %m1 = sub i64 0, %d1
  %m2 = sub i64 0, %d2
  %m3 = sub i64 0, %d3
  %m4 = sub i64 0, %d4
  %b1 = getelementptr i8, ptr addrspace(1) %p1, i64 %m1
  %b2 = getelementptr i64, ptr addrspace(1) %p2, i64 1
  %b2.back = getelementptr i8, ptr addrspace(1) %b2, i64 %m2
  %b3 = getelementptr i64, ptr addrspace(1) %p3, i64 2
  %b3.back = getelementptr i8, ptr addrspace(1) %b3, i64 %m3
  %b4 = getelementptr i64, ptr addrspace(1) %p4, i64 3
  %b4.back = getelementptr i8, ptr addrspace(1) %b4, i64 %m4
  %x1 = load i64, ptr addrspace(1) %b1
  %x2 = load i64, ptr addrspace(1) %b2.back
  %x3 = load i64, ptr addrspace(1) %b3.back
  %x4 = load i64, ptr addrspace(1) %b4.back
  %s2 = add i64 %x1, %x2
  %s3 = add i64 %s2, %x3
  %s4 = add i64 %s3, %x4
  ret i64 %s4
}

; Pointers into one object or another, joined by a phi and by a select: their bases have to be made.
define i64 @sum_of_joined(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %left,
    i64 %rounds) uwtable(sync) gc "statepoint-example" {
entry:
  br i1 %left, label %from.a, label %from.b

from.a:
  %in.a = getelementptr i64, ptr addrspace(1) %a, i64 2
  br label %join

from.b:
  %in.b = getelementptr i64, ptr addrspace(1) %b, i64 3
  br label %join

join:
  %start = phi ptr addrspace(1) [ %in.a, %from.a ], [ %in.b, %from.b ]
  br label %loop

loop:
  %current = phi ptr addrspace(1) [ %start, %join ], [ %chosen, %loop ]
  %round = phi i64 [ 0, %join ], [ %round.next, %loop ]
  %sum = phi i64 [ 0, %join ], [ %sum.next, %loop ]
  call void @collect()
  %value = load i64, ptr addrspace(1) %current
  %sum.next = add i64 %sum, %value
  %other = getelementptr i64, ptr addrspace(1) %b, i64 %round
  %forth = getelementptr i64, ptr addrspace(1) %current, i64 1
  %odd = trunc i64 %round to i1
  %chosen = select i1 %odd, ptr addrspace(1) %other, ptr addrspace(1) %forth
  %round.next = add i64 %round, 1
  %more = icmp ult i64 %round.next, %rounds
  br i1 %more, label %loop, label %exit

exit:
  ret i64 %sum.next
}

; A pointer into a constant or into an object: the base of the first is null.
define i64 @sum_of_table_or_object(ptr addrspace(1) %object, i64 %index,
    i1 %constant) uwtable(sync) gc "statepoint-example" {
entry:
  br i1 %constant, label %in.table, label %in.object

in.table:
  %entry.address = getelementptr [4 x i64], ptr addrspace(1) @table, i64 0, i64 %index
  br label %join

in.object:
  %word.address = getelementptr i64, ptr addrspace(1) %object, i64 %index
  br label %join

join:
  %address = phi ptr addrspace(1) [ %entry.address, %in.table ], [ %word.address, %in.object ]
  call void @collect()
  call void @collect()
  %value = load i64, ptr addrspace(1) %address
  ret i64 %value
}

; Three bases and three derived pointers: six callee-saved registers, with C frames between here and
; the collector.
define i64 @sum_in_registers(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c,
    i64 %frames, i1 %never) uwtable(sync) gc "statepoint-example" {
  %ga = getelementptr i64, ptr addrspace(1) %a, i64 1
  %gb = getelementptr i64, ptr addrspace(1) %b, i64 2
  %gc = getelementptr i64, ptr addrspace(1) %c, i64 3
  %pa = select i1 %never, ptr addrspace(1) %a, ptr addrspace(1) %ga
  %pb = select i1 %never, ptr addrspace(1) %b, ptr addrspace(1) %gb
  %pc = select i1 %never, ptr addrspace(1) %c, ptr addrspace(1) %gc
  call void @collect_below_c_frames(i64 %frames)
  %v1 = load i64, ptr addrspace(1) %a
  %v2 = load i64, ptr addrspace(1) %b
  %v3 = load i64, ptr addrspace(1) %c
  %v4 = load i64, ptr addrspace(1) %pa
  %v5 = load i64, ptr addrspace(1) %pb
  %v6 = load i64, ptr addrspace(1) %pc
  %s2 = add i64 %v1, %v2
  %s3 = add i64 %s2, %v3
  %s4 = add i64 %s3, %v4
  %s5 = add i64 %s4, %v5
  %s6 = add i64 %s5, %v6
  ret i64 %s6
}

; Two statepoints among records of stackmap and patchpoint intrinsics, one of them right behind a
; call.
define i64 @call_among_intrinsics(ptr addrspace(1) %a, i64 %n) uwtable(sync)
    gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 101, i32 0, i64 %n, i64 0)
  call void @collect()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 102, i32 5, ptr addrspace(1) %a, i64 0,
  i64 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 103, i32 15, ptr null,
  i32 0, i64 %n)
  %r = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 104,
  i32 12, ptr null, i32 2, i64 %n, i64 3)
  call void @collect()
  %v = load i64, ptr addrspace(1) %a
  %unused = and i64 %r, 0
  %sum = add i64 %v, %unused
  ret i64 %sum
}

; Thirty parameters, references among them on the stack.
define i64 @sum_of_thirty(i64 %p1, i64 %p2, i64 %p3, i64 %p4, i64 %p5, i64 %p6,
    ptr addrspace(1) %r7, i64 %p8, ptr addrspace(1) %r9, i64 %p10, i64 %p11, i64 %p12, i64 %p13,
    i64 %p14, i64 %p15, i64 %p16, i64 %p17, i64 %p18, i64 %p19, i64 %p20, i64 %p21, i64 %p22,
    i64 %p23, i64 %p24, i64 %p25, i64 %p26, i64 %p27, i64 %p28, i64 %p29,
    ptr addrspace(1) %r30) noinline uwtable(sync) gc "statepoint-example" {
  call void @collect()
  %x = load i64, ptr addrspace(1) %r7
  %y = load i64, ptr addrspace(1) %r9
  %z = load i64, ptr addrspace(1) %r30
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  %sum = add i64 %xyz, %p29
  ret i64 %sum
}

define i64 @call_with_thirty(ptr addrspace(1) %a, ptr addrspace(1) %b,
    ptr addrspace(1) %c) uwtable(sync) gc "statepoint-example" {
  %below = call i64 @sum_of_thirty(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, ptr addrspace(1) %a,
  i64 8, ptr addrspace(1) %b, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16, i64 17,
  i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29,
  ptr addrspace(1) %c)
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %z = load i64, ptr addrspace(1) %c
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  %sum = add i64 %xyz, %below
  ret i64 %sum
}

; The same frame with and without a frame pointer.
define i64 @sum_with_frame_pointer(ptr addrspace(1) %a,
    ptr addrspace(1) %b) uwtable(sync) "frame-pointer"="all" gc "statepoint-example" {
  call void @collect()
  call void @collect()
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %sum = add i64 %x, %y
  ret i64 %sum
}

define i64 @sum_without_frame_pointer(ptr addrspace(1) %a,
    ptr addrspace(1) %b) uwtable(sync) "frame-pointer"="none" gc "statepoint-example" {
  call void @collect()
  call void @collect()
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %sum = add i64 %x, %y
  ret i64 %sum
}

; Deopt state of every kind: constants, references (the second is not used again), a word, a double,
; a byte, an alloca.
define i64 @call_beside_lost_state(ptr addrspace(1) %a, i64 %number) uwtable(sync)
    gc "statepoint-example" {
  call void @collect() "deopt-lowering"="live-in" [ "deopt"(i64 %number) ]
  %v = load i64, ptr addrspace(1) %a
  ret i64 %v
}

define i64 @sum_beside_deopt_state(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %number,
    double %real, i8 %byte) uwtable(sync) gc "statepoint-example" {
  %variable = alloca i64
  store i64 6, ptr %variable
  call void @collect() [ "deopt"(i32 5, ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %number,
  double %real, i8 %byte, i64 99999999999, i64 -3, ptr %variable) ]
  call void @collect() [ "deopt"(i32 5, ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %number,
  double %real, i8 %byte, i64 99999999999, i64 -3, ptr %variable) ]
  %x = load i64, ptr addrspace(1) %a
  %whole = fptoui double %real to i64
  %wide = zext i8 %byte to i64
  %kept = load i64, ptr %variable
  %s1 = add i64 %x, %number
  %s2 = add i64 %s1, %whole
  %s3 = add i64 %s2, %wide
  %s4 = add i64 %s3, %kept
  ret i64 %s4
}
