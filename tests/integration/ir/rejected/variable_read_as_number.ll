; rejected: a word that is declared as a reference is read or written as a number
declare void @fill(ptr)

define i64 @f() gc "statepoint-example" {
  %pair = alloca { i64, ptr addrspace(1) }
  call void @fill(ptr %pair)
  %at = getelementptr { i64, ptr addrspace(1) }, ptr %pair, i64 0, i32 1
  %bits = load i64, ptr %at
  ret i64 %bits
}
