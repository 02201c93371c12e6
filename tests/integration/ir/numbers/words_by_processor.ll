; run: 7 = 2836
; An intrinsic of the processor copies the words of a variable that holds references, as a vector of
; bytes, on each side of a collection.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

; What the words of the object refer to.
define internal i64 @sum(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 100)
  %first.at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %first = load ptr addrspace(1), ptr addrspace(1) %first.at
  %first.number = getelementptr i8, ptr addrspace(1) %first, i64 24
  %x = load i64, ptr addrspace(1) %first.number
  %second.at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %second = load ptr addrspace(1), ptr addrspace(1) %second.at
  %second.number = getelementptr i8, ptr addrspace(1) %second, i64 24
  %y = load i64, ptr addrspace(1) %second.number
  %scaled = mul i64 %x, 100
  %sum = add i64 %scaled, %y
  ret i64 %sum
}

declare <16 x i8> @llvm.x86.sse3.ldu.dq(ptr)

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %words = alloca [2 x ptr addrspace(1)], align 16
  %second = getelementptr i8, ptr %words, i64 8
  %b = call ptr addrspace(1) @make(i64 0)
  %c = call ptr addrspace(1) @make(i64 0)
  %b.words = getelementptr i8, ptr addrspace(1) %b, i64 8
  %c.words = getelementptr i8, ptr addrspace(1) %c, i64 8
  %x = call ptr addrspace(1) @make(i64 %n)
  store ptr addrspace(1) %x, ptr %words
  %more = add i64 %n, 2
  %y = call ptr addrspace(1) @make(i64 %more)
  store ptr addrspace(1) %y, ptr %second
  %once = call <16 x i8> @llvm.x86.sse3.ldu.dq(ptr %words)
  store <16 x i8> %once, ptr addrspace(1) %b.words, align 8
  %garbage = call ptr addrspace(1) @make(i64 1)
  %again = call <16 x i8> @llvm.x86.sse3.ldu.dq(ptr %words)
  store <16 x i8> %again, ptr addrspace(1) %c.words, align 8
  %first.sum = call i64 @sum(ptr addrspace(1) %b)
  %second.sum = call i64 @sum(ptr addrspace(1) %c)
  %scaled = mul i64 %first.sum, 3
  %sum = add i64 %scaled, %second.sum
  ret i64 %sum
}
