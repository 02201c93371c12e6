; rejected: a local copy of a part of an object is used after a safepoint
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

define void @f(ptr addrspace(1) %from, ptr addrspace(1) %to) gc "statepoint-example" {
  %first = alloca %struct.value
  %second = alloca %struct.value
  %source = getelementptr %struct.object, ptr addrspace(1) %from, i32 0, i32 1
  %target = getelementptr %struct.object, ptr addrspace(1) %to, i32 0, i32 1
  call void @llvm.memcpy.p0.p1.i64(ptr %first, ptr addrspace(1) %source, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %second, ptr %first, i64 16, i1 false)
  call void @collect()
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %target, ptr %second, i64 16, i1 false)
  ret void
}
