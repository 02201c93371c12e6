; run: 2 = 1
; A structure whose part is replaced again and again: what was there is garbage. All of it together
; is larger than the heap.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

@bytes = internal constant %spgc_type { i32 16, i32 1, i32 1, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@taken = internal global [2 x ptr addrspace(1)] zeroinitializer

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

define void @take([2 x ptr addrspace(1)] %parts) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  store [2 x ptr addrspace(1)] %parts, ptr @taken
  ret void
}

define i64 @one(i64 %i) noinline gc "statepoint-example" {
  %mark = call ptr addrspace(1) @make(i64 %i)
  %v0 = insertvalue [2 x ptr addrspace(1)] zeroinitializer, ptr addrspace(1) %mark, 1
  %large0 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v1 = insertvalue [2 x ptr addrspace(1)] %v0, ptr addrspace(1) %large0, 0
  call void @take([2 x ptr addrspace(1)] %v1)
  %large1 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v2 = insertvalue [2 x ptr addrspace(1)] %v1, ptr addrspace(1) %large1, 0
  call void @take([2 x ptr addrspace(1)] %v2)
  %large2 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v3 = insertvalue [2 x ptr addrspace(1)] %v2, ptr addrspace(1) %large2, 0
  call void @take([2 x ptr addrspace(1)] %v3)
  %large3 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v4 = insertvalue [2 x ptr addrspace(1)] %v3, ptr addrspace(1) %large3, 0
  call void @take([2 x ptr addrspace(1)] %v4)
  %large4 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v5 = insertvalue [2 x ptr addrspace(1)] %v4, ptr addrspace(1) %large4, 0
  call void @take([2 x ptr addrspace(1)] %v5)
  %large5 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v6 = insertvalue [2 x ptr addrspace(1)] %v5, ptr addrspace(1) %large5, 0
  call void @take([2 x ptr addrspace(1)] %v6)
  %large6 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v7 = insertvalue [2 x ptr addrspace(1)] %v6, ptr addrspace(1) %large6, 0
  call void @take([2 x ptr addrspace(1)] %v7)
  %large7 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v8 = insertvalue [2 x ptr addrspace(1)] %v7, ptr addrspace(1) %large7, 0
  call void @take([2 x ptr addrspace(1)] %v8)
  %large8 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v9 = insertvalue [2 x ptr addrspace(1)] %v8, ptr addrspace(1) %large8, 0
  call void @take([2 x ptr addrspace(1)] %v9)
  %large9 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v10 = insertvalue [2 x ptr addrspace(1)] %v9, ptr addrspace(1) %large9, 0
  call void @take([2 x ptr addrspace(1)] %v10)
  %large10 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v11 = insertvalue [2 x ptr addrspace(1)] %v10, ptr addrspace(1) %large10, 0
  call void @take([2 x ptr addrspace(1)] %v11)
  %large11 = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 8388608)
  %v12 = insertvalue [2 x ptr addrspace(1)] %v11, ptr addrspace(1) %large11, 0
  call void @take([2 x ptr addrspace(1)] %v12)
  %last = extractvalue [2 x ptr addrspace(1)] %v12, 1
  %value = call i64 @value(ptr addrspace(1) %last)
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
