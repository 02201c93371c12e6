declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32 immarg)
declare void @llvm.memmove.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1),
    i64, i32 immarg)
declare void @llvm.memcpy.element.unordered.atomic.p1.p0.i64(ptr addrspace(1), ptr, i64, i32 immarg)
declare void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1), i8, i64, i32 immarg)
@numbers = addrspace(1) constant [4 x i64] [i64 1, i64 2, i64 3, i64 4]

define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr %c,
    i64 %n) gc "statepoint-example" {
  %interior = getelementptr i8, ptr addrspace(1) %b, i64 16
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %interior,
  ptr addrspace(1) align 8 %a, i64 %n, i32 8)
  call void @llvm.memmove.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 4 %interior,
  ptr addrspace(1) align 4 %b, i64 %n, i32 4)
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %b,
  ptr addrspace(1) align 8 @numbers, i64 32, i32 8)
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %b,
  ptr addrspace(1) align 8 %a, i64 8, i32 8)
  call void @llvm.memcpy.element.unordered.atomic.p1.p0.i64(ptr addrspace(1) align 8 %a,
  ptr align 8 %c, i64 %n, i32 8) "gc-leaf-function"
  call void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 8 %interior, i8 0,
  i64 %n, i32 8)
  ret ptr addrspace(1) %b
}
