; rejected: the type descriptor 'node' cannot be used: its descriptor's field_names is not the offset of a member after it
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 1,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  ret ptr addrspace(1) %o
}
