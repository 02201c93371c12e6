; Functions that call themselves: a binary tree built and summed, and Ackermann's function with its
; values in boxes.

%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@tree.offsets = internal constant [2 x i32] [i32 16, i32 24]
@tree = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @tree.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @build(i64 %depth) gc "statepoint-example" {
entry:
  %leaf = icmp eq i64 %depth, 0
  br i1 %leaf, label %join, label %inner
inner:
  %less = sub i64 %depth, 1
  %built_left = call ptr addrspace(1) @build(i64 %less)
  %built_right = call ptr addrspace(1) @build(i64 %less)
  br label %join
join:
  %left = phi ptr addrspace(1) [ null, %entry ], [ %built_left, %inner ]
  %right = phi ptr addrspace(1) [ null, %entry ], [ %built_right, %inner ]
  %new = call ptr addrspace(1) @spgc_allocate(ptr @tree)
  %number = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %depth, ptr addrspace(1) %number
  %left_field = getelementptr i8, ptr addrspace(1) %new, i64 16
  store ptr addrspace(1) %left, ptr addrspace(1) %left_field
  %right_field = getelementptr i8, ptr addrspace(1) %new, i64 24
  store ptr addrspace(1) %right, ptr addrspace(1) %right_field
  ret ptr addrspace(1) %new
}

; The sum of the depths.
define i64 @sum(ptr addrspace(1) %tree) gc "statepoint-example" {
entry:
  %none = icmp eq ptr addrspace(1) %tree, null
  br i1 %none, label %end, label %some
some:
  %number = getelementptr i8, ptr addrspace(1) %tree, i64 8
  %depth = load i64, ptr addrspace(1) %number
  %left_field = getelementptr i8, ptr addrspace(1) %tree, i64 16
  %left = load ptr addrspace(1), ptr addrspace(1) %left_field
  %left_sum = call i64 @sum(ptr addrspace(1) %left)
  %right_field = getelementptr i8, ptr addrspace(1) %tree, i64 24
  %right = load ptr addrspace(1), ptr addrspace(1) %right_field
  %right_sum = call i64 @sum(ptr addrspace(1) %right)
  %both = add i64 %left_sum, %right_sum
  %all = add i64 %both, %depth
  br label %end
end:
  %result = phi i64 [ 0, %entry ], [ %all, %some ]
  ret i64 %result
}

define i64 @build_and_sum(i64 %depth) gc "statepoint-example" {
  %tree = call ptr addrspace(1) @build(i64 %depth)
  %sum = call i64 @sum(ptr addrspace(1) %tree)
  ret i64 %sum
}

define ptr addrspace(1) @box(i64 %number) gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @tree)
  %field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %number, ptr addrspace(1) %field
  ret ptr addrspace(1) %new
}

define i64 @unbox(ptr addrspace(1) %box) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %box, i64 8
  %number = load i64, ptr addrspace(1) %field
  ret i64 %number
}

; A switch, a loop around a call of itself, and phis of values from before and after.
define ptr addrspace(1) @ackermann(i64 %m, ptr addrspace(1) %n) gc "statepoint-example" {
entry:
  %given = call i64 @unbox(ptr addrspace(1) %n)
  switch i64 %m, label %outer [
    i64 0, label %successor
  ]
outer:
  %less_m = sub i64 %m, 1
  br label %loop
loop:
  %count = phi i64 [ 0, %outer ], [ %more, %loop ]
  %previous = phi i64 [ 1, %outer ], [ %value, %loop ]
  %boxed = call ptr addrspace(1) @box(i64 %previous)
  %applied = call ptr addrspace(1) @ackermann(i64 %less_m, ptr addrspace(1) %boxed)
  %value = call i64 @unbox(ptr addrspace(1) %applied)
  %more = add i64 %count, 1
  %again = icmp ule i64 %more, %given
  br i1 %again, label %loop, label %end
successor:
  %next = add i64 %given, 1
  %incremented = call ptr addrspace(1) @box(i64 %next)
  br label %end
end:
  %result = phi ptr addrspace(1) [ %applied, %loop ], [ %incremented, %successor ]
  ret ptr addrspace(1) %result
}

define i64 @ackermann_of_2(i64 %n) gc "statepoint-example" {
  %boxed = call ptr addrspace(1) @box(i64 %n)
  %result = call ptr addrspace(1) @ackermann(i64 2, ptr addrspace(1) %boxed)
  %number = call i64 @unbox(ptr addrspace(1) %result)
  ret i64 %number
}
