; Declared as a reference, and read as a number: the address of now.
declare void @fill(ptr)

define i64 @f() gc "statepoint-example" {
  %pair = alloca { i64, ptr addrspace(1) }
  call void @fill(ptr %pair)
  %at = getelementptr { i64, ptr addrspace(1) }, ptr %pair, i64 0, i32 1
  %bits = load i64, ptr %at
  ret i64 %bits
}
