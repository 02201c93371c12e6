; struct spgc_type: a pair has 24 bytes, and each word after its header may be a reference.
@pair_type = weak_odr constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
             { i32 24, i32 0, i32 2, i32 0, ptr null, i32 0, i32 0, ptr null, ptr @pair_name }
@pair_name = weak_odr constant [5 x i8] c"pair\00"

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @cons(ptr addrspace(1) %head, ptr addrspace(1) %tail)
    gc "statepoint-example" {
  %pair = call ptr addrspace(1) @spgc_allocate(ptr @pair_type)
  %head.at = getelementptr i8, ptr addrspace(1) %pair, i64 8
  store ptr addrspace(1) %head, ptr addrspace(1) %head.at
  %tail.at = getelementptr i8, ptr addrspace(1) %pair, i64 16
  store ptr addrspace(1) %tail, ptr addrspace(1) %tail.at
  ret ptr addrspace(1) %pair
}

; The word of an integer is odd.
define internal ptr addrspace(1) @integer(i64 %number) gc "statepoint-example" {
  %twice = shl i64 %number, 1
  %word = or i64 %twice, 1
  %value = inttoptr i64 %word to ptr addrspace(1)
  ret ptr addrspace(1) %value
}

; The integers up to %count, and then %last.
define ptr addrspace(1) @numbers(i64 %count, ptr addrspace(1) %last) gc "statepoint-example" {
entry:
  %end = call ptr addrspace(1) @cons(ptr addrspace(1) %last, ptr addrspace(1) null)
  br label %loop

loop:
  %left = phi i64 [ %count, %entry ], [ %fewer, %more ]
  %list = phi ptr addrspace(1) [ %end, %entry ], [ %longer, %more ]
  %is_done = icmp eq i64 %left, 0
  br i1 %is_done, label %done, label %more

more:
  %value = call ptr addrspace(1) @integer(i64 %left)
  %longer = call ptr addrspace(1) @cons(ptr addrspace(1) %value, ptr addrspace(1) %list)
  %fewer = sub i64 %left, 1
  br label %loop

done:
  ret ptr addrspace(1) %list
}
