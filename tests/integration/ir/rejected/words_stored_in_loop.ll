; rejected: the address of an object is stored as an integer
; A leaf stores an address as a number in a global variable, in each round of a loop that allocates.
; No store may follow the loop. The list of what was allocated has 8 nodes.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }

%union.word = type { ptr addrspace(1) }
@global = internal global %union.word zeroinitializer

declare ptr addrspace(1) @spgc_allocate(ptr) nounwind willreturn

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define internal void @put(ptr %word, ptr addrspace(1) %o) nounwind "gc-leaf-function" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  store i64 %number, ptr %word
  ret void
}

define internal i64 @put_in_rounds(ptr addrspace(1) %o,
    i64 %n) noinline gc "statepoint-example" {
entry:
  %start = call ptr addrspace(1) @spgc_allocate(ptr @node)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %list = phi ptr addrspace(1) [ %start, %entry ], [ %longer, %loop ]
  call void @put(ptr @global, ptr addrspace(1) %o)
  %longer = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %rest = getelementptr i8, ptr addrspace(1) %longer, i64 8
  store ptr addrspace(1) %list, ptr addrspace(1) %rest
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %garbage = call ptr addrspace(1) @make(i64 100)
  %length = call i64 @length(ptr addrspace(1) %longer)
  %put = load ptr addrspace(1), ptr @global
  %number.at = getelementptr i8, ptr addrspace(1) %put, i64 24
  %number = load i64, ptr addrspace(1) %number.at
  %sum = add i64 %number, %length
  ret i64 %sum
}

define internal i64 @length(ptr addrspace(1) %list) noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %i = phi i64 [ 0, %entry ], [ %count, %loop ]
  %count = add i64 %i, 1
  %rest = getelementptr i8, ptr addrspace(1) %at, i64 8
  %next = load ptr addrspace(1), ptr addrspace(1) %rest
  %last = icmp eq ptr addrspace(1) %next, null
  br i1 %last, label %end, label %loop
end:
  ret i64 %count
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %r = call i64 @put_in_rounds(ptr addrspace(1) %o, i64 %n)
  ret i64 %r
}
