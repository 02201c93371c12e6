; run: 1 = 42
; A structure of a reference and 300 numbers is loaded and stored as a whole, and its copy has a
; barrier.
@node.references = internal constant [1 x i32] [i32 8]
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
    { i32 320, i32 0, i32 0, i32 1, ptr @node.references, i32 0, i32 0, ptr null, ptr null }
@leaf = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
    { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }
declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @leaf)
  %a = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %n, ptr addrspace(1) %a
  ret ptr addrspace(1) %o
}

define void @churn(i64 %n) noinline gc "statepoint-example" {
e:
  br label %l
l:
  %i = phi i64 [0, %e], [%j, %l]
  %x = call ptr addrspace(1) @box(i64 %i)
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %l, label %d
d:
  ret void
}

define void @copy(ptr addrspace(1) noalias %to, ptr addrspace(1) noalias %from) noinline
    gc "statepoint-example" {
  %t = getelementptr i8, ptr addrspace(1) %to, i64 8
  %f = getelementptr i8, ptr addrspace(1) %from, i64 8
  %all = load { ptr addrspace(1), [300 x i8] }, ptr addrspace(1) %f, align 8
  store { ptr addrspace(1), [300 x i8] } %all, ptr addrspace(1) %t, align 8
  %z = getelementptr i8, ptr addrspace(1) %to, i64 16
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %z, i8 0, i64 304, i1 false)
  ret void
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %to = call ptr addrspace(1) @spgc_allocate(ptr @node)
  call void @churn(i64 200)
  %from = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %b = call ptr addrspace(1) @box(i64 42)
  %f = getelementptr i8, ptr addrspace(1) %from, i64 8
  store ptr addrspace(1) %b, ptr addrspace(1) %f
  call void @copy(ptr addrspace(1) %to, ptr addrspace(1) %from)
  call void @churn(i64 200)
  %t = getelementptr i8, ptr addrspace(1) %to, i64 8
  %r = load ptr addrspace(1), ptr addrspace(1) %t, align 8
  %a = getelementptr i8, ptr addrspace(1) %r, i64 8
  %v = load i64, ptr addrspace(1) %a
  ret i64 %v
}
