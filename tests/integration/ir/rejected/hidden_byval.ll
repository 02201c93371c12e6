; rejected: a local variable holds a reference at a place that its type does not show
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

declare void @f(ptr byval(%struct.value))

define void @g(ptr addrspace(1) %object) gc "statepoint-example" {
  %value = alloca %struct.value
  %word = getelementptr %struct.value, ptr %value, i32 0, i32 1
  store ptr addrspace(1) %object, ptr %word
  call void @f(ptr byval(%struct.value) %value)
  ret void
}
