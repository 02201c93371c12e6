; rejected: a local copy of a part of an object is used after a safepoint
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

define void @f(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %local = alloca %struct.value
  %source = getelementptr %struct.object, ptr addrspace(1) %from, i32 0, i32 1
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %source, i64 16, i1 false)
  call void @collect()
  %destination = getelementptr %struct.object, ptr addrspace(1) %to, i32 0, i32 1
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %destination, ptr %local, i64 16, i1 false)
  ret void
}
