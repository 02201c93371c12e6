; rejected: sort indices, or write the sort
@words = internal global [4 x i64] zeroinitializer
@items = internal global [4 x ptr addrspace(1)] zeroinitializer
@other = internal alias [4 x ptr addrspace(1)], ptr @items
declare void @qsort(ptr, i64, i64, ptr)
declare i32 @compare(ptr, ptr)

define void @sort(i1 %c) gc "statepoint-example" {
  call void @qsort(ptr @other, i64 4, i64 8, ptr @compare)
  ret void
}
