; run: 20 = 4008302
; A move within a variable of references whose operands overlap, and do not look so: the source is
; loaded, or chosen.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

@where = internal global ptr null

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

define void @note(ptr %variable) noinline gc "statepoint-example" {
  store ptr %variable, ptr @where
  ret void
}

define i64 @at(ptr %items, i64 %i) alwaysinline gc "statepoint-example" {
  %at = getelementptr ptr addrspace(1), ptr %items, i64 %i
  %item = load ptr addrspace(1), ptr %at
  %value = call i64 @value(ptr addrspace(1) %item)
  ret i64 %value
}

define i64 @through_memory(i64 %i) noinline gc "statepoint-example" {
  %items = alloca [3 x ptr addrspace(1)]
  %second = getelementptr i8, ptr %items, i64 8
  %o = call ptr addrspace(1) @make(i64 %i)
  store ptr addrspace(1) %o, ptr %items
  %i.100 = add i64 %i, 100
  %p = call ptr addrspace(1) @make(i64 %i.100)
  store ptr addrspace(1) %p, ptr %second
  call void @note(ptr %items)
  %source = load ptr, ptr @where
  call void @llvm.memmove.p0.p0.i64(ptr %second, ptr %source, i64 16, i1 false)
  %x = call i64 @at(ptr %items, i64 0)
  %y = call i64 @at(ptr %items, i64 1)
  %z = call i64 @at(ptr %items, i64 2)
  %y.10 = mul i64 %y, 10
  %z.1000 = mul i64 %z, 1000
  %xy = add i64 %x, %y.10
  %xyz = add i64 %xy, %z.1000
  ret i64 %xyz
}

define i64 @through_choice(i64 %i) noinline gc "statepoint-example" {
  %items = alloca [3 x ptr addrspace(1)]
  %others = alloca [3 x ptr addrspace(1)]
  %second = getelementptr i8, ptr %items, i64 8
  %other.second = getelementptr i8, ptr %others, i64 8
  %o = call ptr addrspace(1) @make(i64 %i)
  store ptr addrspace(1) %o, ptr %items
  %i.100 = add i64 %i, 100
  %p = call ptr addrspace(1) @make(i64 %i.100)
  store ptr addrspace(1) %p, ptr %second
  %seven = call ptr addrspace(1) @make(i64 7)
  store ptr addrspace(1) %seven, ptr %others
  %eight = call ptr addrspace(1) @make(i64 8)
  store ptr addrspace(1) %eight, ptr %other.second
  %is.late = icmp sgt i64 %i, 3
  %source = select i1 %is.late, ptr %items, ptr %others
  call void @llvm.memmove.p0.p0.i64(ptr %second, ptr %source, i64 16, i1 false)
  %y = call i64 @at(ptr %items, i64 1)
  %z = call i64 @at(ptr %items, i64 2)
  %z.1000 = mul i64 %z, 1000
  %yz = add i64 %y, %z.1000
  ret i64 %yz
}

define i64 @one(i64 %i) noinline gc "statepoint-example" {
  %a = call i64 @through_memory(i64 %i)
  %b = call i64 @through_choice(i64 %i)
  %sum = add i64 %a, %b
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
