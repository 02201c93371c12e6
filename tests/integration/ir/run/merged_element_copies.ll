; run: 20 = 190
; Two copies that differ only in the size of their elements, which has to stay a constant: the
; optimiser would make one of them.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32)

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

define i64 @one(i64 %i) noinline gc "statepoint-example" {
  %from = call ptr addrspace(1) @make(i64 %i)
  %to = call ptr addrspace(1) @make(i64 -1)
  %source = getelementptr i8, ptr addrspace(1) %from, i64 8
  %target = getelementptr i8, ptr addrspace(1) %to, i64 8
  %is.late = icmp sgt i64 %i, 3
  br i1 %is.late, label %whole, label %halves
whole:
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %target,
      ptr addrspace(1) align 8 %source, i64 8, i32 8) "gc-leaf-function"
  br label %end
halves:
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %target,
      ptr addrspace(1) align 8 %source, i64 8, i32 4) "gc-leaf-function"
  br label %end
end:
  %value = call i64 @value(ptr addrspace(1) %to)
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
