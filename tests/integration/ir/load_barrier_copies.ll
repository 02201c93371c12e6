; Copies from objects that load barriers refuse, and copies that they accept.
declare void @safepoint()
declare void @escape(ptr) "gc-leaf-function"
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
@constant = constant [2 x i64] [i64 1, i64 2]

define void @between_objects(ptr addrspace(1) %to, ptr addrspace(1) %from)
    gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 8, i1 false)
  ret void
}

define void @of_any_length(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %bytes)
    gc "statepoint-example" {
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %bytes,
                                    i1 false)
  ret void
}

define void @into_memory_by_leaf(ptr %to, ptr addrspace(1) %from) "gc-leaf-function" {
  call void @llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %from, i64 16, i1 false)
  ret void
}

define void @into_variable_in_memory(ptr addrspace(1) %from) gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  call void @llvm.memcpy.p0.p1.i64(ptr %variable, ptr addrspace(1) %from, i64 16, i1 false)
  call void @escape(ptr %variable)
  call void @safepoint()
  ret void
}

define i64 @accepted(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %number = alloca i64
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 7, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %to, ptr @constant, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %number, ptr addrspace(1) %from, i64 8, i1 false)
  %value = load i64, ptr %number
  ret i64 %value
}
