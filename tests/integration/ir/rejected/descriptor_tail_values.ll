; rejected: the type descriptor 'node' cannot be used: its descriptor describes a tail without the flag SPGC_TYPE_TAIL
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 8, i32 4, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  ret ptr addrspace(1) %o
}
