; run: 40 = 3120
; Functions with loops that are called as leaves: by name, through a table that the optimiser reads,
; and by another name. None of their loops gets a poll. Some are leaves only where they are called.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@data = internal constant %spgc_type { i32 16, i32 8, i32 1, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @make(i64 %n) noinline gc "statepoint-example" {
entry:
  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @data, i64 %n)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %ends = icmp uge i64 %i, %n
  br i1 %ends, label %end, label %body
body:
  %offset = shl i64 %i, 3
  %behind = add i64 %offset, 16
  %at = getelementptr i8, ptr addrspace(1) %o, i64 %behind
  store i64 %i, ptr addrspace(1) %at
  %next = add i64 %i, 1
  br label %loop
end:
  ret ptr addrspace(1) %o
}

; No leaf by its attributes.
define internal i64 @sum(ptr %at, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %ends = icmp uge i64 %i, %n
  br i1 %ends, label %end, label %body
body:
  %place = getelementptr i64, ptr %at, i64 %i
  %value = load i64, ptr %place
  %more = add i64 %sum, %value
  %next = add i64 %i, 1
  br label %loop
end:
  ret i64 %sum
}

define internal i64 @pointed(ptr %at, i64 %n) "gc-leaf-function" {
  %sum = call i64 @sum(ptr %at, i64 %n)
  ret i64 %sum
}

define internal i64 @unmarked(ptr %at, i64 %n) {
  %sum = call i64 @sum(ptr %at, i64 %n) alwaysinline
  ret i64 %sum
}

@other = internal alias i64 (ptr, i64), ptr @unmarked
@table = internal constant [2 x ptr] [ptr @pointed, ptr @unmarked]

define i64 @one(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %start = add i64 %number, 16
  %at = inttoptr i64 %start to ptr
  %sum = call i64 @sum(ptr %at, i64 %n) "gc-leaf-function"
  ret i64 %sum
}

define i64 @two(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %start = add i64 %number, 16
  %at = inttoptr i64 %start to ptr
  %leaf = load ptr, ptr getelementptr (i8, ptr @table, i64 8)
  %sum = call i64 %leaf(ptr %at, i64 %n) "gc-leaf-function"
  ret i64 %sum
}

define i64 @three(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %start = add i64 %number, 16
  %at = inttoptr i64 %start to ptr
  %leaf = load ptr, ptr @table
  %sum = call i64 %leaf(ptr %at, i64 %n) "gc-leaf-function"
  ret i64 %sum
}

define i64 @four(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %start = add i64 %number, 16
  %at = inttoptr i64 %start to ptr
  %sum = call i64 @other(ptr %at, i64 %n) "gc-leaf-function"
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %garbage = call ptr addrspace(1) @make(i64 1)
  %one = call i64 @one(ptr addrspace(1) %o, i64 %n)
  %two = call i64 @two(ptr addrspace(1) %o, i64 %n)
  %three = call i64 @three(ptr addrspace(1) %o, i64 %n)
  %four = call i64 @four(ptr addrspace(1) %o, i64 %n)
  %a = add i64 %one, %two
  %b = add i64 %three, %four
  %sum = add i64 %a, %b
  ret i64 %sum
}
