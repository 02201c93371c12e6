; struct spgc_type: header, length, then numbers of 8 bytes.
@scores = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
          { i32 16, i32 8, i32 1, i32 0, ptr null, i32 0, i32 0, ptr null, ptr @scores.name }
@scores.name = internal constant [7 x i8] c"scores\00"

declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)
declare void @fill(ptr addrspace(1)) "gc-leaf-function" ; a function of C: writes the numbers
declare void @collect()

define i64 @total(i64 %count) gc "statepoint-example" {
entry:
  %array = call ptr addrspace(1) @spgc_allocate_array(ptr @scores, i64 %count)
  call void @fill(ptr addrspace(1) %array)
  %first = getelementptr i8, ptr addrspace(1) %array, i64 16
  br label %loop

loop:
  %cursor = phi ptr addrspace(1) [ %first, %entry ], [ %next, %loop ]
  %left = phi i64 [ %count, %entry ], [ %fewer, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  call void @collect()
  %score = load i64, ptr addrspace(1) %cursor
  %more = add i64 %sum, %score
  %next = getelementptr i8, ptr addrspace(1) %cursor, i64 8
  %fewer = sub i64 %left, 1
  %done = icmp eq i64 %fewer, 0
  br i1 %done, label %out, label %loop

out:
  ret i64 %more
}
