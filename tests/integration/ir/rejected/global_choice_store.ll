; rejected: a reference is stored in a global variable whose type does not show it
@kept = global [4 x ptr addrspace(1)] zeroinitializer
@bytes = global [32 x i8] zeroinitializer, align 8

define void @keep(ptr addrspace(1) %object, i1 %which, i64 %at) gc "statepoint-example" {
  br i1 %which, label %first, label %second

first:
  br label %second

second:
  %place = phi ptr [ @kept, %0 ], [ @bytes, %first ]
  %word = getelementptr ptr addrspace(1), ptr %place, i64 %at
  store ptr addrspace(1) %object, ptr %word
  ret void
}
