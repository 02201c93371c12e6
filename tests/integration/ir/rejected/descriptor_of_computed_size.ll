; rejected: an array is allocated with it, but it has no tail
; The size is the address of the second node of an array at null, as many frontends write it.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%node = type { ptr, ptr addrspace(1), i64 }
@offsets = internal constant [1 x i32]
    [i32 ptrtoint (ptr getelementptr (%node, ptr null, i32 0, i32 1) to i32)]
@type = internal constant %spgc_type {
    i32 ptrtoint (ptr getelementptr (%node, ptr null, i32 1) to i32), i32 0, i32 0, i32 1,
    ptr @offsets, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %array = call ptr addrspace(1) @spgc_allocate_array(ptr @type, i64 %length)
  ret ptr addrspace(1) %array
}
