; Three functions that call each other in tail position, one through a pointer, and allocate at each
; step: the depth shows in no frame.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@third = internal global ptr @step_three

declare ptr addrspace(1) @spgc_allocate(ptr)

; A new object with the old one's value and one more.
define ptr addrspace(1) @successor(ptr addrspace(1) %object) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  %value = load i64, ptr addrspace(1) %field
  %more = add i64 %value, 1
  %new.field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %more, ptr addrspace(1) %new.field
  ret ptr addrspace(1) %new
}

define ptr addrspace(1) @step_one(ptr addrspace(1) %object, ptr addrspace(1) %other, i64 %left,
    i64 %b, i64 %c,
    i64 %d) noinline gc "statepoint-example" {
  %end = icmp eq i64 %left, 0
  br i1 %end, label %done, label %more
done:
  ret ptr addrspace(1) %object
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %object)
  %rest = sub i64 %left, 1
  %r = musttail call ptr addrspace(1) @step_two(ptr addrspace(1) %next, ptr addrspace(1) %other,
  i64 %rest, i64 %c,
    i64 %d, i64 %b)
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @step_two(ptr addrspace(1) %object, ptr addrspace(1) %other, i64 %left,
    i64 %b, i64 %c,
    i64 %d) noinline gc "statepoint-example" {
  %next = load ptr, ptr @third
  %swapped = call ptr addrspace(1) @successor(ptr addrspace(1) %other)
  %r = musttail call ptr addrspace(1) %next(ptr addrspace(1) %swapped, ptr addrspace(1) %object,
  i64 %left, i64 %b,
    i64 %c, i64 %d)
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @step_three(ptr addrspace(1) %object, ptr addrspace(1) %other, i64 %left,
    i64 %b, i64 %c,
    i64 %d) noinline gc "statepoint-example" {
  %r = musttail call ptr addrspace(1) @step_one(ptr addrspace(1) %other, ptr addrspace(1) %object,
  i64 %left, i64 %b,
    i64 %c, i64 %d)
  ret ptr addrspace(1) %r
}

; n: that many steps, each a successor.
define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %b = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %r = call ptr addrspace(1) @step_one(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 1,
  i64 2, i64 3)
  %field = getelementptr i8, ptr addrspace(1) %r, i64 8
  %value = load i64, ptr addrspace(1) %field
  ret i64 %value
}
