; rejected: a word that is declared as a reference is read or written as a number
%pair = type { i64, ptr addrspace(1) }
declare void @fill(ptr)

define void @f(ptr addrspace(1) %value, i64 %number) gc "statepoint-example" {
  %pairs = alloca %pair, i32 3
  %at = getelementptr %pair, ptr %pairs, i64 1, i32 1
  store i64 %number, ptr %at
  call void @fill(ptr %pairs)
  ret void
}
