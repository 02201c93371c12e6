; Frames to be left in one pass: a recursion of any depth, below a landing pad where six references
; are live.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)
declare ptr @spgc_exception() "gc-leaf-function"
declare i64 @leave(i64)
declare i64 @call_from_cxx(ptr, i64)
declare i64 @value_of(ptr) "gc-leaf-function"

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %value, ptr addrspace(1) %field
  ret ptr addrspace(1) %new
}

define i64 @descend(i64 %depth) noinline "disable-tail-calls"="true" gc "statepoint-example" {
  %own = call ptr addrspace(1) @make(i64 %depth)
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %leave, label %on

leave:
  %left = call i64 @leave(i64 0)
  br label %done

on:
  %rest = sub i64 %depth, 1
  %r = call i64 @descend(i64 %rest)
  br label %done

done:
  %result = phi i64 [ %left, %leave ], [ %r, %on ]
  %field = getelementptr i8, ptr addrspace(1) %own, i64 8
  %value = load i64, ptr addrspace(1) %field
  %correct = icmp eq i64 %value, %depth
  %sum = select i1 %correct, i64 %result, i64 -1000
  ret i64 %sum
}

define i64 @descend_through_cxx(i64 %depth) noinline gc "statepoint-example" {
  %r = call i64 @call_from_cxx(ptr @descend, i64 %depth)
  ret i64 %r
}

; What was thrown, and 21.
define i64 @catch_from(ptr %function, i64 %depth) noinline gc "statepoint-example" personality
    ptr @spgc_personality {
entry:
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %c = call ptr addrspace(1) @make(i64 3)
  %d = call ptr addrspace(1) @make(i64 4)
  %e = call ptr addrspace(1) @make(i64 5)
  %f = call ptr addrspace(1) @make(i64 6)
  %interior = getelementptr i8, ptr addrspace(1) %f, i64 8
  %r = invoke i64 %function(i64 %depth) to label %add unwind label %handler

handler:
  %pad = landingpad token catch ptr null
  %exception = call ptr @spgc_exception()
  %thrown = call i64 @value_of(ptr %exception)
  br label %add

add:
  %base = phi i64 [ %r, %entry ], [ %thrown, %handler ]
  %garbage = call ptr addrspace(1) @make(i64 0)
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

define i64 @catch(i64 %depth) gc "statepoint-example" {
  %r = call i64 @catch_from(ptr @descend, i64 %depth)
  ret i64 %r
}

define i64 @catch_beyond_cxx(i64 %depth) gc "statepoint-example" {
  %r = call i64 @catch_from(ptr @descend_through_cxx, i64 %depth)
  ret i64 %r
}
