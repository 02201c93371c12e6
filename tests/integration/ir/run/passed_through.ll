; run: 5 = 351
; References that come through calls and arithmetic which change nothing: an argument that a call
; promises to return, annotations of members, zeroes added in a vector. And a number that is aligned
; on the stack, in a recursion.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }
@note = private constant [5 x i8] c"note\00"

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1), ptr, ptr, i32, ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  %noted = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %at, ptr @note,
      ptr @note, i32 1, ptr null)
  store i64 %value, ptr addrspace(1) %noted
  ret ptr addrspace(1) %o
}

; The address of the member is from before the allocation.
define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  %noted = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %at, ptr @note,
      ptr @note, i32 1, ptr null)
  %again = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %noted, ptr @note,
      ptr @note, i32 2, ptr null)
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %value = load i64, ptr addrspace(1) %again
  ret i64 %value
}

define internal ptr addrspace(1) @same(ptr addrspace(1) returned %o) noinline
    gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret ptr addrspace(1) %o
}

define internal i64 @same_number(i64 returned %n) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret i64 %n
}

define i64 @returned(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %p = call ptr addrspace(1) @same(ptr addrspace(1) returned %o)
  %m = call i64 @same_number(i64 returned %n)
  %v = call i64 @value(ptr addrspace(1) %p)
  %w = call i64 @value(ptr addrspace(1) %o)
  %vw = add i64 %v, %w
  %sum = add i64 %vw, %m
  ret i64 %sum
}

define i64 @sum(<2 x ptr addrspace(1)> %both) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %first = extractelement <2 x ptr addrspace(1)> %both, i32 0
  %second = extractelement <2 x ptr addrspace(1)> %both, i32 1
  %v = call i64 @value(ptr addrspace(1) %first)
  %w = call i64 @value(ptr addrspace(1) %second)
  %sum = add i64 %v, %w
  ret i64 %sum
}

define i64 @in_lanes(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %both = getelementptr i8, ptr addrspace(1) %o, <2 x i64> zeroinitializer
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %sum = call i64 @sum(<2 x ptr addrspace(1)> %both)
  ret i64 %sum
}

define ptr addrspace(1) @list(i64 %n) noinline gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %leave, label %on
leave:
  ret ptr addrspace(1) null
on:
  %less = add i64 %n, -1
  %rest = call ptr addrspace(1) @list(i64 %less)
  %o = call ptr addrspace(1) @make(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %rest, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @walk(ptr addrspace(1) %o, i8 alignstack(8) %step) gc "statepoint-example" {
  %null = icmp eq ptr addrspace(1) %o, null
  br i1 %null, label %leave, label %on
leave:
  %last = sext i8 %step to i64
  ret i64 %last
on:
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %rest = load ptr addrspace(1), ptr addrspace(1) %at
  %next = add i8 %step, -1
  %sum = call i64 @walk(ptr addrspace(1) %rest, i8 alignstack(8) %next)
  %value = call i64 @value(ptr addrspace(1) %o)
  %all = add i64 %sum, %value
  ret i64 %all
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call i64 @returned(i64 100)
  %b = call i64 @in_lanes(i64 20)
  %list = call ptr addrspace(1) @list(i64 %n)
  %c = call i64 @walk(ptr addrspace(1) %list, i8 alignstack(8) 1)
  %ab = add i64 %a, %b
  %all = add i64 %ab, %c
  ret i64 %all
}
