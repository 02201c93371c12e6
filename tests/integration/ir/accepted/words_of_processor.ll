; An intrinsic of the processor reads a variable with references, under a mask that is known.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 2, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare <2 x i64> @llvm.x86.avx2.maskload.q(ptr, <2 x i64>)

define ptr addrspace(1) @copies(ptr addrspace(1) %x,
    ptr addrspace(1) %y) "target-features"="+avx2" gc "statepoint-example" {
  %words = alloca [2 x ptr addrspace(1)], align 16
  %second = getelementptr i8, ptr %words, i64 8
  store ptr addrspace(1) %x, ptr %words
  store ptr addrspace(1) %y, ptr %second
  %b = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %b.words = getelementptr i8, ptr addrspace(1) %b, i64 8
  %once = call <2 x i64> @llvm.x86.avx2.maskload.q(ptr %words, <2 x i64> <i64 -1, i64 -1>)
  store <2 x i64> %once, ptr addrspace(1) %b.words, align 8
  %c = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %c.words = getelementptr i8, ptr addrspace(1) %c, i64 8
  %again = call <2 x i64> @llvm.x86.avx2.maskload.q(ptr %words, <2 x i64> <i64 -1, i64 -1>)
  store <2 x i64> %again, ptr addrspace(1) %c.words, align 8
  store ptr addrspace(1) %b, ptr addrspace(1) %b.words
  ret ptr addrspace(1) %c
}
