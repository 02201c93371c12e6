; run: 5 = 15
; A leaf that is given an address, with a distance added, as a number: nothing moves while it runs.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define internal i64 @read(i64 %place) noinline "gc-leaf-function" {
  %pointer = inttoptr i64 %place to ptr addrspace(1)
  %value = load i64, ptr addrspace(1) %pointer
  ret i64 %value
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %o = call ptr addrspace(1) @make(i64 %i)
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %address = ptrtoint ptr addrspace(1) %o to i64
  %place = add i64 %address, 16
  %value = call i64 @read(i64 %place)
  %more = add i64 %sum, %value
  %next = add i64 %i, 1
  %goes = icmp sle i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret i64 %more
}
