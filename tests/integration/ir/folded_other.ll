; The third function of folded.ll, in a module of its own.
@offsets = linkonce_odr hidden constant [1 x i32] [i32 8]
@cell = linkonce_odr hidden constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr } {
  i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define i64 @third(ptr addrspace(1) %x, i64 %k) noinline section ".text.third"
    gc "statepoint-example" {
  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %link = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %link
  %b = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %b.link = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %b.link
  store ptr addrspace(1) %b, ptr addrspace(1) %link
  %value.at = getelementptr i8, ptr addrspace(1) %x, i64 16
  %value = load i64, ptr addrspace(1) %value.at
  %sum = add i64 %value, %k
  ret i64 %sum
}
