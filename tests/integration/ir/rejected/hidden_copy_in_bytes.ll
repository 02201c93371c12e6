; rejected: a local copy of a part of an object is used after a safepoint
%union.word = type { i64 }
%struct.value = type { i32, %union.word }
%struct.object = type { ptr, %struct.value }
declare void @collect()
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)

define void @f(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
entry:
  %local = alloca [16 x i8]
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %from, i64 16, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %to, ptr %local, i64 16, i1 false)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}
