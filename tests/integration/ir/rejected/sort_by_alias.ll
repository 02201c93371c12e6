; rejected: sort indices, or write the sort
@other = alias i32 (ptr, ptr), ptr @compare
declare void @qsort(ptr, i64, i64, ptr)
declare ptr addrspace(1) @spgc_allocate(ptr)

define i32 @compare(ptr %a, ptr %b) gc "statepoint-example" {
  %x = load ptr addrspace(1), ptr %a
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr null)
  %w = load i32, ptr addrspace(1) %x
  ret i32 %w
}

define void @sort(ptr %array) gc "statepoint-example" {
  call void @qsort(ptr %array, i64 4, i64 8, ptr @other)
  ret void
}
