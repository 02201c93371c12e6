; run: 5 = 185
; Words of "deopt" state that are also references: an address as a number and as an ordinary
; pointer, and a field that is loaded as a number, as a pointer and as a reference.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define i64 @of_cast(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %garbage = call ptr addrspace(1) @make(i64 -1) [ "deopt"(i64 %number, i32 7) ]
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define i64 @of_pointer(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %number = ptrtoint ptr addrspace(1) %o to i64
  %pointer = inttoptr i64 %number to ptr
  %garbage = call ptr addrspace(1) @make(i64 -1)
      [ "deopt"(ptr %pointer, ptr addrspace(1) %o) ]
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define i64 @of_field(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %number = load i64, ptr addrspace(1) %at
  %field = load ptr addrspace(1), ptr addrspace(1) %at
  %pointer = load ptr, ptr addrspace(1) %at
  %garbage = call ptr addrspace(1) @make(i64 -1) [ "deopt"(i64 %number, ptr %pointer) ]
  %more = call ptr addrspace(1) @make(i64 -1) [ "deopt"(ptr addrspace(1) %field, i64 %number) ]
  %value = call i64 @value(ptr addrspace(1) %field)
  ret i64 %value
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %a = call ptr addrspace(1) @make(i64 %i)
  %b = call ptr addrspace(1) @make(i64 11)
  %at = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %b, ptr addrspace(1) %at
  %x = call i64 @of_cast(ptr addrspace(1) %a)
  %y = call i64 @of_pointer(ptr addrspace(1) %a)
  %z = call i64 @of_field(ptr addrspace(1) %a)
  %three = mul i64 %z, 3
  %xy = add i64 %x, %y
  %all = add i64 %xy, %three
  %more = add i64 %sum, %all
  %next = add i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret i64 %more
}
