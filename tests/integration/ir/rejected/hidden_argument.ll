; rejected: a structure with a union is passed or returned by value
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

declare void @use(i32, i64)

define void @f(ptr addrspace(1) %from) gc "statepoint-example" {
  %source = getelementptr %struct.object, ptr addrspace(1) %from, i32 0, i32 1
  %tag.at = getelementptr { i32, i64 }, ptr addrspace(1) %source, i32 0, i32 0
  %tag = load i32, ptr addrspace(1) %tag.at
  %word.at = getelementptr { i32, i64 }, ptr addrspace(1) %source, i32 0, i32 1
  %word = load i64, ptr addrspace(1) %word.at
  call void @use(i32 %tag, i64 %word)
  ret void
}
