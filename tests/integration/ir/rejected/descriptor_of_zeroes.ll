; rejected: the type descriptor 'node' cannot be used: its size is 0 or is not a multiple of 8
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = constant %spgc_type zeroinitializer

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  ret ptr addrspace(1) %o
}
