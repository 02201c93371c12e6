; rejected: the type descriptor 'classes' cannot be used: its descriptor's field_names is not the offset of a member after it
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@classes = constant [2 x %spgc_type] [
  %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null },
  %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 7, ptr null, ptr null }]

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %first = call ptr addrspace(1) @spgc_allocate(ptr @classes)
  %o = call ptr addrspace(1) @spgc_allocate(ptr getelementptr inbounds ([2 x %spgc_type],
  ptr @classes, i64 0, i64 1))
  ret ptr addrspace(1) %o
}
