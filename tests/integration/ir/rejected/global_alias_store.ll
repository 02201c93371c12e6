; rejected: a reference is stored in a global variable whose type does not show it
@bytes = global [16 x i8] zeroinitializer, align 8
@second = alias i64, getelementptr (i8, ptr @bytes, i64 8)

define void @keep(ptr addrspace(1) %object) gc "statepoint-example" {
  store ptr addrspace(1) %object, ptr @second
  ret void
}
