; rejected: the type descriptor 'node' cannot be used: its descriptor lists more references than the object has words
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 4, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  ret ptr addrspace(1) %o
}
