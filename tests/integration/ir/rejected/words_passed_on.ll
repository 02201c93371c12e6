; rejected: the address of an object is passed as an integer
; A function passes a number on to one that takes it for a reference, and comes before it. The
; numbers have attributes that references may not have.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

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

define i64 @pass_on(i64 allocalign %word) noinline allocsize(0) gc "statepoint-example" {
  %result = call i64 @take(i64 zeroext %word)
  ret i64 %result
}

define i64 @take(i64 zeroext %word) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %o = inttoptr i64 %word to ptr addrspace(1)
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define i64 @one(i64 %i) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %i)
  %word = ptrtoint ptr addrspace(1) %o to i64
  %value = call i64 @pass_on(i64 allocalign %word) allocsize(0)
  ret i64 %value
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
