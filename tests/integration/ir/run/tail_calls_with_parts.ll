; run: 20 = 1900
; Nobody reads a part of the result, or the result, of functions that end with musttail calls. The
; functions that they call are called elsewhere, too.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
%pair = type { ptr addrspace(1), i64 }

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define internal %pair @last(ptr addrspace(1) %o, %pair %parts) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %whole = insertvalue %pair %parts, i64 9, 1
  ret %pair %whole
}

define internal %pair @first(ptr addrspace(1) %o, %pair %parts) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %whole = insertvalue %pair %parts, ptr addrspace(1) %o, 0
  %result = musttail call %pair @last(ptr addrspace(1) %o, %pair %whole)
  ret %pair %result
}

define internal i64 @last_number(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define private i64 @first_number(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %result = musttail call i64 @last_number(ptr addrspace(1) %o)
  ret i64 %result
}

define i64 @one(i64 %i) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %i)
  %parts = call %pair @first(ptr addrspace(1) %o, %pair { ptr addrspace(1) null, i64 5 })
  %p = extractvalue %pair %parts, 0
  %nine = extractvalue %pair %parts, 1
  %value = call i64 @value(ptr addrspace(1) %p)
  %times = mul i64 %value, %nine
  %unread = call i64 @first_number(ptr addrspace(1) %p)
  %read = call i64 @last_number(ptr addrspace(1) %p)
  %sum = add i64 %times, %read
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %result = call i64 @one(i64 %i)
  %more = add i64 %sum, %result
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret i64 %more
}
