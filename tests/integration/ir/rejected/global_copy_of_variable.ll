; rejected: one place of a copy declares a word as a reference
@bytes = global [320 x i8] zeroinitializer, align 8

declare void @fill(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @copy() gc "statepoint-example" {
  %local = alloca [40 x ptr addrspace(1)]
  call void @fill(ptr %local)
  call void @llvm.memcpy.p0.p0.i64(ptr @bytes, ptr %local, i64 320, i1 false)
  ret void
}
