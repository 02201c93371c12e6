; rejected: one place of a copy declares a word as a reference
@kept = global [2 x ptr addrspace(1)] zeroinitializer
@bytes = global [16 x i8] zeroinitializer, align 8

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @copy() gc "statepoint-example" {
  call void @llvm.memcpy.p0.p0.i64(ptr @bytes, ptr @kept, i64 16, i1 false)
  ret void
}
