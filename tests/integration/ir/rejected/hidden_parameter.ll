; rejected: a structure with a union is passed or returned by value
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

define void @f(ptr addrspace(1) %to, i32 %tag, i64 %word) gc "statepoint-example" {
  %local = alloca %struct.value
  %tag.at = getelementptr { i32, i64 }, ptr %local, i32 0, i32 0
  store i32 %tag, ptr %tag.at
  %word.at = getelementptr { i32, i64 }, ptr %local, i32 0, i32 1
  store i64 %word, ptr %word.at
  %destination = getelementptr %struct.object, ptr addrspace(1) %to, i32 0, i32 1
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %destination, ptr %local, i64 16, i1 false)
  ret void
}
