; Three functions that compile to the same code, each in a section of its own, one in another
; module: a linker that folds identical code (--icf=all) makes one function of them, which several
; records describe. managed_run(n) calls each with a list, and gives 100 * the sum of their results,
; and 10 for each function that has the address of the first one.
@offsets = linkonce_odr hidden constant [1 x i32] [i32 8]
@cell = linkonce_odr hidden constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr } {
  i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 0, i32 0, ptr null, ptr null }
@functions = global [3 x ptr] [ptr @first, ptr @second, ptr @third]

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i64 @third(ptr addrspace(1), i64)

define i64 @first(ptr addrspace(1) %x, i64 %k) noinline section ".text.first"
    gc "statepoint-example" {
  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %link = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %link
  %b = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %b.link = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %b.link
  store ptr addrspace(1) %b, ptr addrspace(1) %link
  %value.at = getelementptr i8, ptr addrspace(1) %x, i64 16
  %value = load i64, ptr addrspace(1) %value.at
  %sum = add i64 %value, %k
  ret i64 %sum
}

define i64 @second(ptr addrspace(1) %x, i64 %k) noinline section ".text.second"
    gc "statepoint-example" {
  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %link = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %link
  %b = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %b.link = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %b.link
  store ptr addrspace(1) %b, ptr addrspace(1) %link
  %value.at = getelementptr i8, ptr addrspace(1) %x, i64 16
  %value = load i64, ptr addrspace(1) %value.at
  %sum = add i64 %value, %k
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  %x = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %value.at = getelementptr i8, ptr addrspace(1) %x, i64 16
  store i64 %n, ptr addrspace(1) %value.at
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %same = phi i64 [ 0, %entry ], [ %same.next, %loop ]
  %first = load volatile ptr, ptr @functions
  %function.at = getelementptr ptr, ptr @functions, i64 %i
  %function = load volatile ptr, ptr %function.at
  %result = call i64 %function(ptr addrspace(1) %x, i64 %i)
  %sum.next = add i64 %sum, %result
  %is.same = icmp eq ptr %function, %first
  %one = zext i1 %is.same to i64
  %same.next = add i64 %same, %one
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 3
  br i1 %more, label %loop, label %done
done:
  %hundreds = mul i64 %sum.next, 100
  %tens = mul i64 %same.next, 10
  %both = add i64 %hundreds, %tens
  ret i64 %both
}
