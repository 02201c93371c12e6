; rejected: the type descriptor 'class' cannot be used: its size is 0 or is not a multiple of 8
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

%class = type { %spgc_type, ptr, i64 }
@class = linkonce_odr constant %class { %spgc_type { i32 12, i32 0, i32 0, i32 0, ptr null, i32 0,
    i32 0, ptr null, ptr null }, ptr null, i64 3 }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @class)
  ret ptr addrspace(1) %o
}
