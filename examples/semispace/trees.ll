; The compiled program: what a frontend emits. A reference is a `ptr addrspace(1)`. There is no
; statepoint and no list of roots here; LLVM's pass rewrite-statepoints-for-gc makes them. "ni:1"
; tells its other passes that a reference is no number.
target triple = "x86_64-pc-linux-gnu"
target datalayout =
  "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"

declare ptr addrspace(1) @allocate(i32, i32) ; words, and how many of them are references

; A node has a header, two references and a number, at offsets 0, 8, 16 and 24. This one has number
; N, its subtrees 2 N and 2 N + 1. %left moves while %right is made, and both while %node is.
define ptr addrspace(1) @tree(i64 %depth, i64 %number) #0 gc "statepoint-example" {
  %is.leaf = icmp eq i64 %depth, 0
  br i1 %is.leaf, label %leaf, label %inner
leaf:
  ret ptr addrspace(1) null
inner:
  %less = sub i64 %depth, 1
  %even = shl i64 %number, 1
  %odd = or i64 %even, 1
  %left = call ptr addrspace(1) @tree(i64 %less, i64 %even)
  %right = call ptr addrspace(1) @tree(i64 %less, i64 %odd)
  %node = call ptr addrspace(1) @allocate(i32 3, i32 2)
  %left.at = getelementptr i8, ptr addrspace(1) %node, i64 8
  %right.at = getelementptr i8, ptr addrspace(1) %node, i64 16
  %number.at = getelementptr i8, ptr addrspace(1) %node, i64 24
  store ptr addrspace(1) %left, ptr addrspace(1) %left.at
  store ptr addrspace(1) %right, ptr addrspace(1) %right.at
  store i64 %number, ptr addrspace(1) %number.at
  ret ptr addrspace(1) %node
}

; The sum of a tree's numbers.
define i64 @sum(ptr addrspace(1) %node) #0 gc "statepoint-example" {
  %is.null = icmp eq ptr addrspace(1) %node, null
  br i1 %is.null, label %nothing, label %something
nothing:
  ret i64 0
something:
  %left.at = getelementptr i8, ptr addrspace(1) %node, i64 8
  %right.at = getelementptr i8, ptr addrspace(1) %node, i64 16
  %number.at = getelementptr i8, ptr addrspace(1) %node, i64 24
  %left = load ptr addrspace(1), ptr addrspace(1) %left.at
  %right = load ptr addrspace(1), ptr addrspace(1) %right.at
  %number = load i64, ptr addrspace(1) %number.at
  %left.sum = call i64 @sum(ptr addrspace(1) %left)
  %right.sum = call i64 @sum(ptr addrspace(1) %right)
  %both = add i64 %left.sum, %right.sum
  %all = add i64 %both, %number
  ret i64 %all
}

; An object of 8 references to trees of this depth. %place points into the middle of the object
; while a tree is made. The object moves, and the walker moves %place by as much.
define ptr addrspace(1) @forest(i64 %depth) #0 gc "statepoint-example" {
entry:
  %forest = call ptr addrspace(1) @allocate(i32 8, i32 8)
  %first = getelementptr i8, ptr addrspace(1) %forest, i64 8
  br label %loop
loop:
  %place = phi ptr addrspace(1) [ %first, %entry ], [ %further, %loop ]
  %count = phi i64 [ 0, %entry ], [ %more, %loop ]
  %tree = call ptr addrspace(1) @tree(i64 %depth, i64 1)
  store ptr addrspace(1) %tree, ptr addrspace(1) %place
  %further = getelementptr i8, ptr addrspace(1) %place, i64 8
  %more = add i64 %count, 1
  %is.full = icmp eq i64 %more, 8
  br i1 %is.full, label %done, label %loop
done:
  ret ptr addrspace(1) %forest
}

; The sum of all trees of such an object.
define i64 @forest_sum(ptr addrspace(1) %forest) #0 gc "statepoint-example" {
entry:
  br label %loop
loop:
  %offset = phi i64 [ 8, %entry ], [ %further, %loop ]
  %so.far = phi i64 [ 0, %entry ], [ %total, %loop ]
  %place = getelementptr i8, ptr addrspace(1) %forest, i64 %offset
  %tree = load ptr addrspace(1), ptr addrspace(1) %place
  %numbers = call i64 @sum(ptr addrspace(1) %tree)
  %total = add i64 %so.far, %numbers
  %further = add i64 %offset, 8
  %is.last = icmp eq i64 %further, 72
  br i1 %is.last, label %done, label %loop
done:
  ret i64 %total
}

; Keeps one forest, and makes %rounds others that nothing keeps. The result is the sum of all.
define i64 @work(i64 %rounds, i64 %depth) #0 gc "statepoint-example" {
entry:
  %kept = call ptr addrspace(1) @forest(i64 %depth)
  br label %loop
loop:
  %round = phi i64 [ 0, %entry ], [ %later, %loop ]
  %so.far = phi i64 [ 0, %entry ], [ %total, %loop ]
  %forest = call ptr addrspace(1) @forest(i64 %depth)
  %numbers = call i64 @forest_sum(ptr addrspace(1) %forest)
  %total = add i64 %so.far, %numbers
  %later = add i64 %round, 1
  %is.last = icmp eq i64 %later, %rounds
  br i1 %is.last, label %done, label %loop
done:
  %kept.numbers = call i64 @forest_sum(ptr addrspace(1) %kept)
  %all = add i64 %total, %kept.numbers
  ret i64 %all
}

; Walks step through functions by their unwind information, so that each must have some.
attributes #0 = { noinline uwtable(sync) }
