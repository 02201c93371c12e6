; Functions that call themselves, and what they do before they return without having called
; anything.

%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@box.offsets = internal constant [1 x i32] [i32 8]
@box = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @box.offsets, i32 0, i32 0,
    ptr null, ptr null }
@calls = internal global i64 0
@ends = internal global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @spgc_poll()

; Counts its calls before it looks whether it is the last.
define void @count_calls(i64 %n, ptr addrspace(1) %some) gc "statepoint-example" {
  %before = load i64, ptr @calls
  %after = add i64 %before, 1
  store i64 %after, ptr @calls
  %last = icmp eq i64 %n, 0
  br i1 %last, label %end, label %more
more:
  %less = sub i64 %n, 1
  call void @count_calls(i64 %less, ptr addrspace(1) %some)
  call void @spgc_poll()
  br label %end
end:
  ret void
}

; Counts those that are the last.
define void @count_ends(i64 %n, ptr addrspace(1) %some) gc "statepoint-example" {
  %last = icmp eq i64 %n, 0
  br i1 %last, label %end, label %more
end:
  %before = load i64, ptr @ends
  %after = add i64 %before, 1
  store i64 %after, ptr @ends
  ret void
more:
  %less = sub i64 %n, 1
  call void @count_ends(i64 %less, ptr addrspace(1) %some)
  call void @count_ends(i64 %less, ptr addrspace(1) %some)
  ret void
}

; A chain of boxes: the last is made by a call that makes no other.
define ptr addrspace(1) @chain(i64 %n) gc "statepoint-example" {
  %last = icmp eq i64 %n, 0
  br i1 %last, label %make, label %more
more:
  %less = sub i64 %n, 1
  %rest = call ptr addrspace(1) @chain(i64 %less)
  br label %make
make:
  %next = phi ptr addrspace(1) [ null, %0 ], [ %rest, %more ]
  %new = call ptr addrspace(1) @spgc_allocate(ptr @box)
  %next_at = getelementptr i8, ptr addrspace(1) %new, i64 8
  store ptr addrspace(1) %next, ptr addrspace(1) %next_at
  %number_at = getelementptr i8, ptr addrspace(1) %new, i64 16
  store i64 %n, ptr addrspace(1) %number_at
  ret ptr addrspace(1) %new
}

define i64 @sum(ptr addrspace(1) %chain) gc "statepoint-example" {
  %none = icmp eq ptr addrspace(1) %chain, null
  br i1 %none, label %end, label %some
some:
  %number_at = getelementptr i8, ptr addrspace(1) %chain, i64 16
  %number = load i64, ptr addrspace(1) %number_at
  %next_at = getelementptr i8, ptr addrspace(1) %chain, i64 8
  %next = load ptr addrspace(1), ptr addrspace(1) %next_at
  %rest = call i64 @sum(ptr addrspace(1) %next)
  call void @spgc_poll()
  %all = add i64 %rest, %number
  ret i64 %all
end:
  ret i64 0
}

define i64 @chain_and_sum(i64 %n) gc "statepoint-example" {
  %chain = call ptr addrspace(1) @chain(i64 %n)
  %sum = call i64 @sum(ptr addrspace(1) %chain)
  ret i64 %sum
}

define i64 @calls_of(i64 %n) gc "statepoint-example" {
  store i64 0, ptr @calls
  %some = call ptr addrspace(1) @spgc_allocate(ptr @box)
  call void @count_calls(i64 %n, ptr addrspace(1) %some)
  %count = load i64, ptr @calls
  ret i64 %count
}

define i64 @ends_of(i64 %n) gc "statepoint-example" {
  store i64 0, ptr @ends
  %some = call ptr addrspace(1) @spgc_allocate(ptr @box)
  call void @count_ends(i64 %n, ptr addrspace(1) %some)
  %count = load i64, ptr @ends
  ret i64 %count
}
