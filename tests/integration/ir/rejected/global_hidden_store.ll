; rejected: a reference is stored in a global variable whose type does not show it
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

@stack = internal global [64 x %struct.value] zeroinitializer

define void @f(ptr addrspace(1) %object, i64 %index) gc "statepoint-example" {
  %value = getelementptr [64 x %struct.value], ptr @stack, i64 0, i64 %index
  %word = getelementptr %struct.value, ptr %value, i32 0, i32 1
  store ptr addrspace(1) %object, ptr %word
  ret void
}
