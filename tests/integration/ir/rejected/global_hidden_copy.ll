; rejected: a word copied into a global variable is a reference or may be one
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

@last = global %struct.value zeroinitializer

define void @f(ptr addrspace(1) %from) gc "statepoint-example" {
  %source = getelementptr %struct.object, ptr addrspace(1) %from, i32 0, i32 1
  call void @llvm.memcpy.p0.p1.i64(ptr @last, ptr addrspace(1) %source, i64 16, i1 false)
  ret void
}
