; Exceptions thrown by C++ through managed, C and C++ frames while objects move. Six references are
; live across the call that throws, as many as there are callee-saved registers, and are read in the
; landing pad.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@cleaned_up = internal global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)
declare ptr @spgc_exception() "gc-leaf-function"
declare void @_Unwind_Resume(ptr) noreturn
declare i64 @call_from_cxx(ptr, i64)
declare i64 @call_from_c(ptr, i64)
declare void @throw_from_cxx(i64) noreturn
declare i64 @catch_in_cxx(ptr)
declare i64 @frames_left()
declare void @look_around()

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %value, ptr addrspace(1) %field
  ret ptr addrspace(1) %new
}

define i64 @inner(i64 %n) noinline gc "statepoint-example" {
  %kept = call ptr addrspace(1) @make(i64 %n)
  %garbage = call ptr addrspace(1) @make(i64 0)
  call void @look_around()
  %field = getelementptr i8, ptr addrspace(1) %kept, i64 8
  %value = load i64, ptr addrspace(1) %field
  %bit = and i64 %value, 1
  %odd = icmp eq i64 %bit, 1
  br i1 %odd, label %throw, label %return

throw:
  %thrice = mul i64 %value, 3
  call void @throw_from_cxx(i64 %thrice)
  unreachable

return:
  ret i64 %value
}

; Has a cleanup that allocates, for exceptions that pass by.
define i64 @middle(i64 %n) noinline gc "statepoint-example" personality ptr @spgc_personality {
  %own = call ptr addrspace(1) @make(i64 %n)
  %r = invoke i64 @call_from_c(ptr @inner, i64 %n) to label %normal unwind label %cleanup

normal:
  %field = getelementptr i8, ptr addrspace(1) %own, i64 8
  %value = load i64, ptr addrspace(1) %field
  %sum = add i64 %r, %value
  ret i64 %sum

cleanup:
  %pad = landingpad token cleanup
  %exception = call ptr @spgc_exception()
  %garbage = call ptr addrspace(1) @make(i64 7)
  %own.field = getelementptr i8, ptr addrspace(1) %own, i64 8
  %own.value = load i64, ptr addrspace(1) %own.field
  %same = icmp eq i64 %own.value, %n
  %one = zext i1 %same to i64
  %before = load i64, ptr @cleaned_up
  %after = add i64 %before, %one
  store i64 %after, ptr @cleaned_up
  call void @_Unwind_Resume(ptr %exception)
  unreachable
}

define i64 @round(i64 %n) noinline gc "statepoint-example" personality ptr @spgc_personality {
entry:
  %n2 = mul i64 %n, 2
  %n3 = mul i64 %n, 3
  %n4 = mul i64 %n, 4
  %n5 = mul i64 %n, 5
  %n6 = mul i64 %n, 6
  %a = call ptr addrspace(1) @make(i64 %n)
  %b = call ptr addrspace(1) @make(i64 %n2)
  %c = call ptr addrspace(1) @make(i64 %n3)
  %d = call ptr addrspace(1) @make(i64 %n4)
  %e = call ptr addrspace(1) @make(i64 %n5)
  %f = call ptr addrspace(1) @make(i64 %n6)
  %interior = getelementptr i8, ptr addrspace(1) %f, i64 8
  %r = invoke i64 @call_from_cxx(ptr @middle, i64 %n) "statepoint-id"="77" to label %add
  unwind label %handler

handler:
  %pad = landingpad token catch ptr null
  %exception = call ptr @spgc_exception()
  %thrown = call i64 @catch_in_cxx(ptr %exception)
  %more = call ptr addrspace(1) @make(i64 %thrown)
  %more.field = getelementptr i8, ptr addrspace(1) %more, i64 8
  %more.value = load i64, ptr addrspace(1) %more.field
  br label %add

add:
  %base = phi i64 [ %r, %entry ], [ %more.value, %handler ]
  %a.field = getelementptr i8, ptr addrspace(1) %a, i64 8
  %b.field = getelementptr i8, ptr addrspace(1) %b, i64 8
  %c.field = getelementptr i8, ptr addrspace(1) %c, i64 8
  %d.field = getelementptr i8, ptr addrspace(1) %d, i64 8
  %e.field = getelementptr i8, ptr addrspace(1) %e, i64 8
  %a.value = load i64, ptr addrspace(1) %a.field
  %b.value = load i64, ptr addrspace(1) %b.field
  %c.value = load i64, ptr addrspace(1) %c.field
  %d.value = load i64, ptr addrspace(1) %d.field
  %e.value = load i64, ptr addrspace(1) %e.field
  %f.value = load i64, ptr addrspace(1) %interior
  %s1 = add i64 %base, %a.value
  %s2 = add i64 %s1, %b.value
  %s3 = add i64 %s2, %c.value
  %s4 = add i64 %s3, %d.value
  %s5 = add i64 %s4, %e.value
  %s6 = add i64 %s5, %f.value
  ret i64 %s6
}

; 21 i, and 2 i for an even i or 3 i for an odd one, of i from 1 to n; then the cleanups: two for
; each call, and one for each exception.
define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %r = call i64 @round(i64 %i)
  %sum = add i64 %total, %r
  %next = add i64 %i, 1
  %done = icmp sgt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  %left = call i64 @frames_left()
  %cleaned = load i64, ptr @cleaned_up
  %with.left = add i64 %sum, %left
  %all = add i64 %with.left, %cleaned
  ret i64 %all
}

define i64 @cleanups() gc "statepoint-example" {
  %cleaned = load i64, ptr @cleaned_up
  ret i64 %cleaned
}
