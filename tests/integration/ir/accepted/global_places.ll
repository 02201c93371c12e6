; References in global variables that show them, however the place is reached.
@kept = global [4 x ptr addrspace(1)] zeroinitializer
@pairs = global [4 x { i64, ptr addrspace(1) }] zeroinitializer
@second = alias ptr addrspace(1), getelementptr (i8, ptr @kept, i64 8)
@none = constant [2 x ptr addrspace(1)] zeroinitializer
@bytes = global [32 x i8] zeroinitializer, align 8
@own = thread_local global i64 0

declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @collect()

define void @keep(ptr addrspace(1) %object, i1 %which, i64 %at) gc "statepoint-example" {
  store ptr addrspace(1) %object, ptr @second
  %in.pairs = getelementptr i8, ptr @pairs, i64 8
  %place = select i1 %which, ptr @kept, ptr %in.pairs
  store ptr addrspace(1) %object, ptr %place
  %before = atomicrmw xchg ptr @kept, ptr addrspace(1) %object seq_cst
  %pair = insertvalue { i64, ptr addrspace(1) } zeroinitializer, ptr addrspace(1) %before, 1
  %pair.at = getelementptr { i64, ptr addrspace(1) }, ptr @pairs, i64 %at
  store { i64, ptr addrspace(1) } %pair, ptr %pair.at
  call void @llvm.memcpy.p0.p0.i64(ptr @bytes, ptr @none, i64 16, i1 false)
  %third = getelementptr ptr addrspace(1), ptr @kept, i64 2
  call void @llvm.memcpy.p0.p0.i64(ptr %third, ptr @kept, i64 16, i1 false)
  %own = call ptr @llvm.threadlocal.address.p0(ptr @own)
  store i64 %at, ptr %own
  call void @collect()
  br label %loop

loop:
  %word = phi ptr [ @kept, %0 ], [ %next, %loop ]
  store ptr addrspace(1) %object, ptr %word
  %next = getelementptr ptr addrspace(1), ptr %word, i64 1
  %end = icmp eq ptr %next, getelementptr (i8, ptr @kept, i64 32)
  br i1 %end, label %done, label %loop

done:
  ret void
}
