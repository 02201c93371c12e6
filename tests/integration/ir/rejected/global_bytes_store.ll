; rejected: a reference is stored in a global variable whose type does not show it
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

@buffer = global [64 x i8] zeroinitializer

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  store ptr addrspace(1) %object, ptr getelementptr (i8, ptr @buffer, i64 8)
  ret void
}
