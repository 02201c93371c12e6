; run: 30 = 1350
; Lanes and references that are poison or undefined are live across safepoints: none is taken for an
; object.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 24]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

@four.offsets = internal constant [4 x i32] [i32 8, i32 16, i32 24, i32 32]
@four = internal constant %spgc_type { i32 40, i32 0, i32 0, i32 4, ptr @four.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare <4 x ptr addrspace(1)> @llvm.masked.gather.v4p1.v4p1(<4 x ptr addrspace(1)>, i32, <4 x i1>,
    <4 x ptr addrspace(1)>)
declare <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p1(ptr addrspace(1), i32, <2 x i1>,
    <2 x ptr addrspace(1)>)

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

; Where it is inlined, it leaves the addresses of objects from before a collection in a stack slot.
define i64 @dirty(i64 %i) alwaysinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @four)
  %p = call ptr addrspace(1) @make(i64 %i)
  %from = getelementptr i8, ptr addrspace(1) %o, i64 8
  %p0 = insertelement <4 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %p, i32 0
  %p1 = insertelement <4 x ptr addrspace(1)> %p0, ptr addrspace(1) %p, i32 1
  %p2 = insertelement <4 x ptr addrspace(1)> %p1, ptr addrspace(1) %p, i32 2
  %p3 = insertelement <4 x ptr addrspace(1)> %p2, ptr addrspace(1) %p, i32 3
  store <4 x ptr addrspace(1)> %p3, ptr addrspace(1) %from, align 8
  %x = call i64 @value(ptr addrspace(1) %p)
  %all = load <4 x ptr addrspace(1)>, ptr addrspace(1) %from, align 8
  %y = call i64 @value(ptr addrspace(1) %p)
  %l = extractelement <4 x ptr addrspace(1)> %all, i32 2
  %same = icmp eq ptr addrspace(1) %l, %p
  %z = select i1 %same, i64 0, i64 1000000
  ret i64 %z
}

define i64 @first_two(<4 x ptr addrspace(1)> %all) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 9)
  %l0 = extractelement <4 x ptr addrspace(1)> %all, i32 0
  %l1 = extractelement <4 x ptr addrspace(1)> %all, i32 1
  %x0 = call i64 @value(ptr addrspace(1) %l0)
  %x1 = call i64 @value(ptr addrspace(1) %l1)
  %sum = add i64 %x0, %x1
  ret i64 %sum
}

; 5
define i64 @shuffled(i64 %i) noinline gc "statepoint-example" {
  %before = call i64 @dirty(i64 %i)
  %a = call ptr addrspace(1) @make(i64 2)
  %b = call ptr addrspace(1) @make(i64 3)
  %v = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %a, i32 0
  %two = insertelement <2 x ptr addrspace(1)> %v, ptr addrspace(1) %b, i32 1
  %wide = shufflevector <2 x ptr addrspace(1)> %two, <2 x ptr addrspace(1)> poison,
  <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %garbage = call ptr addrspace(1) @make(i64 9)
  %x = call i64 @first_two(<4 x ptr addrspace(1)> %wide)
  %sum = add i64 %x, %before
  ret i64 %sum
}

; 10
define i64 @gathered(i64 %i) noinline gc "statepoint-example" {
  %before = call i64 @dirty(i64 %i)
  %holder = call ptr addrspace(1) @make(i64 1)
  %a = call ptr addrspace(1) @make(i64 4)
  %b = call ptr addrspace(1) @make(i64 6)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 24
  store ptr addrspace(1) %a, ptr addrspace(1) %f0
  store ptr addrspace(1) %b, ptr addrspace(1) %f1
  %at = getelementptr i8, ptr addrspace(1) %holder, <4 x i64> <i64 8, i64 24, i64 8, i64 8>
  %wide = call <4 x ptr addrspace(1)> @llvm.masked.gather.v4p1.v4p1(<4 x ptr addrspace(1)> %at,
  i32 8, <4 x i1> <i1 1, i1 1, i1 0, i1 0>, <4 x ptr addrspace(1)> poison)
  %garbage = call ptr addrspace(1) @make(i64 9)
  %x = call i64 @first_two(<4 x ptr addrspace(1)> %wide)
  %sum = add i64 %x, %before
  ret i64 %sum
}

; 20
define i64 @masked(i64 %i, i1 %no) noinline gc "statepoint-example" {
  %before = call i64 @dirty(i64 %i)
  %holder = call ptr addrspace(1) @make(i64 1)
  %a = call ptr addrspace(1) @make(i64 20)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %f0
  %m0 = insertelement <2 x i1> <i1 1, i1 1>, i1 %no, i32 1
  %wide = call <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p1(ptr addrspace(1) %f0, i32 8,
  <2 x i1> %m0, <2 x ptr addrspace(1)> <ptr addrspace(1) null, ptr addrspace(1) poison>)
  %garbage = call ptr addrspace(1) @make(i64 9)
  %four = shufflevector <2 x ptr addrspace(1)> %wide, <2 x ptr addrspace(1)> poison,
  <4 x i32> <i32 0, i32 0, i32 poison, i32 poison>
  %x = call i64 @first_two(<4 x ptr addrspace(1)> %four)
  %sum = add i64 %x, %before
  %half = lshr i64 %sum, 1
  ret i64 %half
}

; 10: a reference that nobody set, and one that is set on one of two ways.
define i64 @unset(i64 %i, i1 %no) noinline gc "statepoint-example" {
entry:
  %local = alloca ptr addrspace(1)
  %a = call ptr addrspace(1) @make(i64 10)
  %frozen = freeze ptr addrspace(1) poison
  %made = inttoptr i64 undef to ptr addrspace(1)
  br i1 %no, label %set, label %meet

set:
  %b = call ptr addrspace(1) @make(i64 11)
  br label %meet

meet:
  %some = phi ptr addrspace(1) [ %b, %set ], [ undef, %entry ]
  %unset = load ptr addrspace(1), ptr %local
  %garbage = call i64 @dirty(i64 %i)
  store ptr addrspace(1) %unset, ptr addrspace(1) %a
  %first = select i1 %no, ptr addrspace(1) %some, ptr addrspace(1) %a
  %second = select i1 %no, ptr addrspace(1) %frozen, ptr addrspace(1) %first
  %third = select i1 %no, ptr addrspace(1) %made, ptr addrspace(1) %second
  store ptr @node, ptr addrspace(1) %a
  %x = call i64 @value(ptr addrspace(1) %third)
  ret i64 %x
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %no = icmp sgt i64 %i, 1000000
  %a = call i64 @shuffled(i64 %i)
  %b = call i64 @gathered(i64 %i)
  %c = call i64 @masked(i64 %i, i1 %no)
  %d = call i64 @unset(i64 %i, i1 %no)
  %ab = add i64 %a, %b
  %cd = add i64 %c, %d
  %abcd = add i64 %ab, %cd
  %sum = add i64 %total, %abcd
  %next = add i64 %i, 1
  %done = icmp ugt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
