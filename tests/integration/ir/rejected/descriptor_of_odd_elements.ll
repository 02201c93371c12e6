; rejected: the type descriptor 'node' cannot be used: its descriptor has elements with references whose size is not a multiple of 8
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@offsets = internal constant [1 x i32] [i32 0]
@node = internal constant %spgc_type { i32 16, i32 12, i32 1, i32 0, ptr null, i32 1, i32 0,
    ptr @offsets, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @node, i64 %length)
  ret ptr addrspace(1) %o
}
