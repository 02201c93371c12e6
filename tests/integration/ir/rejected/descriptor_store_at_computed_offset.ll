; rejected: a reference is stored at offset 16
; The size is the address of the second node of an array at null, as many frontends write it.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%node = type { ptr, ptr addrspace(1), i64 }
@offsets = internal constant [1 x i32]
    [i32 ptrtoint (ptr getelementptr (%node, ptr null, i32 0, i32 1) to i32)]
@type = internal constant %spgc_type {
    i32 ptrtoint (ptr getelementptr (%node, ptr null, i32 1) to i32), i32 0, i32 0, i32 1,
    ptr @offsets, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f(ptr addrspace(1) %other) gc "statepoint-example" {
  %object = call ptr addrspace(1) @spgc_allocate(ptr @type)
  %number = getelementptr i8, ptr addrspace(1) %object, i64 16
  store ptr addrspace(1) %other, ptr addrspace(1) %number
  ret ptr addrspace(1) %object
}
