; Arrays of references copied element by element: to another array, up and down within one, from
; inside.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@array.references = internal constant [1 x i32] [i32 0]
@array = internal constant %spgc_type { i32 16, i32 8, i32 1, i32 0, ptr null, i32 1, i32 0,
    ptr @array.references, ptr null }
@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)
declare i64 @collections()
declare void @settle()
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32 immarg)
declare void @llvm.memmove.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32 immarg)
declare void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1), i8, i64, i32 immarg)

; References to the numbers 1 to n; the last is made last, and is the first element if %down.
define ptr addrspace(1) @count(i64 %n, i1 %down) noinline gc "statepoint-example" {
entry:
  %a = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %n)
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %number = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %next = add i64 %i, 1
  %field = getelementptr i8, ptr addrspace(1) %number, i64 8
  store i64 %next, ptr addrspace(1) %field
  %elements = getelementptr i8, ptr addrspace(1) %a, i64 16
  %from.end = sub i64 %n, %next
  %place = select i1 %down, i64 %from.end, i64 %i
  %element = getelementptr ptr addrspace(1), ptr addrspace(1) %elements, i64 %place
  store ptr addrspace(1) %number, ptr addrspace(1) %element
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret ptr addrspace(1) %a
}

; Every number times its place, counted from 1: says what is where.
define i64 @weigh(ptr addrspace(1) %a, i64 %n) noinline gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %elements = getelementptr i8, ptr addrspace(1) %a, i64 16
  %element = getelementptr ptr addrspace(1), ptr addrspace(1) %elements, i64 %i
  %number = load ptr addrspace(1), ptr addrspace(1) %element
  %field = getelementptr i8, ptr addrspace(1) %number, i64 8
  %value = load i64, ptr addrspace(1) %field
  %next = add i64 %i, 1
  %product = mul i64 %value, %next
  %sum.next = add i64 %sum, %product
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum.next
}

; %from and %to in elements, %count of them, from the first array to the second.
define void @copy(ptr addrspace(1) %target, i64 %to, ptr addrspace(1) %source, i64 %from,
    i64 %count) noinline gc "statepoint-example" {
  %target.elements = getelementptr i8, ptr addrspace(1) %target, i64 16
  %source.elements = getelementptr i8, ptr addrspace(1) %source, i64 16
  %first = getelementptr ptr addrspace(1), ptr addrspace(1) %target.elements, i64 %to
  %second = getelementptr ptr addrspace(1), ptr addrspace(1) %source.elements, i64 %from
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %first,
  ptr addrspace(1) align 8 %second, i64 %bytes, i32 8)
  ret void
}

define void @move(ptr addrspace(1) %a, i64 %to, i64 %from,
    i64 %count) noinline gc "statepoint-example" {
  %elements = getelementptr i8, ptr addrspace(1) %a, i64 16
  %first = getelementptr ptr addrspace(1), ptr addrspace(1) %elements, i64 %to
  %second = getelementptr ptr addrspace(1), ptr addrspace(1) %elements, i64 %from
  %bytes = shl i64 %count, 3
  call void @llvm.memmove.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %first,
  ptr addrspace(1) align 8 %second, i64 %bytes, i32 8)
  ret void
}

; The same as leaves.
define void @copy_as_leaf(ptr addrspace(1) %target, ptr addrspace(1) %source,
    i64 %count) noinline gc "statepoint-example" {
  %first = getelementptr i8, ptr addrspace(1) %target, i64 16
  %second = getelementptr i8, ptr addrspace(1) %source, i64 16
  %bytes = shl i64 %count, 3
  call void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 8 %first, i8 0,
  i64 %bytes, i32 8)
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %first,
  ptr addrspace(1) align 8 %second, i64 %bytes, i32 8) "gc-leaf-function"
  call void @llvm.memmove.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %first,
  ptr addrspace(1) align 8 %second, i64 %bytes, i32 8) "gc-leaf-function"
  ret void
}

; How many collections a copy of n elements lets happen.
define i64 @collections_of_copy(i64 %n) gc "statepoint-example" {
  %source = call ptr addrspace(1) @count(i64 %n, i1 false)
  %target = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %n)
  %before = call i64 @collections() "gc-leaf-function"
  call void @copy(ptr addrspace(1) %target, i64 0, ptr addrspace(1) %source, i64 0, i64 %n)
  %after = call i64 @collections() "gc-leaf-function"
  %weight = call i64 @weigh(ptr addrspace(1) %target, i64 %n) ; otherwise nobody reads the copy
  %count = sub i64 %after, %before
  ret i64 %count
}

; @settle makes what there is old, so that the copies write references to young objects into old
; ones.
define i64 @weight_of_copy(i64 %n) gc "statepoint-example" {
  %target = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %n)
  call void @settle()
  %source = call ptr addrspace(1) @count(i64 %n, i1 false)
  call void @copy(ptr addrspace(1) %target, i64 0, ptr addrspace(1) %source, i64 0, i64 %n)
  call void @settle()
  %weight = call i64 @weigh(ptr addrspace(1) %target, i64 %n)
  ret i64 %weight
}

; The youngest objects are copied first, and may be the only young ones by the next chunk.
define i64 @weight_of_copy_down(i64 %n) gc "statepoint-example" {
  %target = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %n)
  call void @settle()
  %source = call ptr addrspace(1) @count(i64 %n, i1 true)
  call void @copy(ptr addrspace(1) %target, i64 0, ptr addrspace(1) %source, i64 0, i64 %n)
  call void @settle()
  %weight = call i64 @weigh(ptr addrspace(1) %target, i64 %n)
  ret i64 %weight
}

define i64 @weight_of_leaf_copy(i64 %n) gc "statepoint-example" {
  %target = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %n)
  call void @settle()
  %source = call ptr addrspace(1) @count(i64 %n, i1 false)
  call void @copy_as_leaf(ptr addrspace(1) %target, ptr addrspace(1) %source, i64 %n)
  call void @settle()
  %weight = call i64 @weigh(ptr addrspace(1) %target, i64 %n)
  ret i64 %weight
}

; The numbers 1 to n, then all but the last moved up by one place.
define i64 @weight_of_move_up(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @count(i64 %n, i1 false)
  %count = sub i64 %n, 1
  call void @move(ptr addrspace(1) %a, i64 1, i64 0, i64 %count)
  call void @settle()
  %weight = call i64 @weigh(ptr addrspace(1) %a, i64 %n)
  ret i64 %weight
}

; All but the first moved down by one place.
define i64 @weight_of_move_down(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @count(i64 %n, i1 false)
  %count = sub i64 %n, 1
  call void @move(ptr addrspace(1) %a, i64 0, i64 1, i64 %count)
  call void @settle()
  %weight = call i64 @weigh(ptr addrspace(1) %a, i64 %n)
  ret i64 %weight
}
