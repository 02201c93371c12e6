; Copies whose types show what they hold, that are used before any safepoint, or that hold no
; reference.
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%union.shown = type { ptr addrspace(1) }
%struct.point = type { i64, i64 }
%struct.object = type { ptr, %struct.value, %struct.point, [24 x i8], %union.shown }
@origin = global %struct.point zeroinitializer
@name = global [24 x i8] zeroinitializer
@root = global [4 x %union.shown] zeroinitializer
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

define void @exchange(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %local = alloca %struct.value
  call void @collect()
  %of.a = getelementptr %struct.object, ptr addrspace(1) %a, i32 0, i32 1
  %of.b = getelementptr %struct.object, ptr addrspace(1) %b, i32 0, i32 1
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %of.a, i64 16, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %of.b, ptr %local, i64 16, i1 false)
  call void @collect()
  ret void
}

define i64 @plain(ptr addrspace(1) %a) gc "statepoint-example" {
  %local = alloca %struct.point
  %point = getelementptr %struct.object, ptr addrspace(1) %a, i32 0, i32 2
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %point, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr @origin, ptr addrspace(1) %point, i64 16, i1 false)
  call void @collect()
  %x = load i64, ptr %local
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %point, ptr %local, i64 16, i1 false)
  ret i64 %x
}

define void @text(ptr addrspace(1) %a, i64 %length) gc "statepoint-example" {
  %local = alloca [24 x i8]
  %bytes = getelementptr %struct.object, ptr addrspace(1) %a, i32 0, i32 3
  call void @llvm.memcpy.p0.p1.i64(ptr @name, ptr addrspace(1) %bytes, i64 %length, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %bytes, i64 24, i1 false)
  call void @collect()
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %bytes, ptr %local, i64 24, i1 false)
  ret void
}

define void @shown(ptr addrspace(1) %a, i64 %index) gc "statepoint-example" {
  %word = getelementptr %struct.object, ptr addrspace(1) %a, i32 0, i32 4
  %root = getelementptr [4 x %union.shown], ptr @root, i64 0, i64 %index
  call void @llvm.memcpy.p0.p1.i64(ptr %root, ptr addrspace(1) %word, i64 8, i1 false)
  store ptr addrspace(1) %a, ptr %root
  ret void
}
