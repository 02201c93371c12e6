; A linked list of the numbers 1 to n, built while the nursery fills, then added up.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @build(i64 %n) noinline gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %list = phi ptr addrspace(1) [ null, %entry ], [ %node.new, %loop ]
  %next = add i64 %i, 1
  %node.new = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %link = getelementptr i8, ptr addrspace(1) %node.new, i64 8
  store ptr addrspace(1) %list, ptr addrspace(1) %link
  %value = getelementptr i8, ptr addrspace(1) %node.new, i64 16
  store i64 %next, ptr addrspace(1) %value
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret ptr addrspace(1) %node.new
}

define i64 @sum(ptr addrspace(1) %list) noinline gc "statepoint-example" {
entry:
  %link = getelementptr i8, ptr addrspace(1) %list, i64 8
  %value.at = getelementptr i8, ptr addrspace(1) %list, i64 16
  %value = load i64, ptr addrspace(1) %value.at
  %rest = load ptr addrspace(1), ptr addrspace(1) %link
  %end = icmp eq ptr addrspace(1) %rest, null
  br i1 %end, label %last, label %more

more:
  %garbage = call ptr addrspace(1) @build(i64 1)
  %tail = call i64 @sum(ptr addrspace(1) %rest)
  %first.at = getelementptr i8, ptr addrspace(1) %list, i64 16
  %again = load i64, ptr addrspace(1) %first.at
  %one.at = getelementptr i8, ptr addrspace(1) %garbage, i64 16
  %one = load i64, ptr addrspace(1) %one.at
  %total = add i64 %tail, %again
  %scaled = mul i64 %total, %one
  ret i64 %scaled

last:
  ret i64 %value
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %list = call ptr addrspace(1) @build(i64 %n)
  %total = call i64 @sum(ptr addrspace(1) %list)
  ret i64 %total
}
