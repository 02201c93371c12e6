; Inlined, one of the two calls has a descriptor it would be wrong with, and is never reached.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define internal ptr addrspace(1) @make(ptr %type, i64 %length) alwaysinline
    gc "statepoint-example" {
  %flags.at = getelementptr %spgc_type, ptr %type, i32 0, i32 2
  %flags = load i32, ptr %flags.at
  %has.tail = trunc i32 %flags to i1
  br i1 %has.tail, label %array, label %object

array:
  %a = call ptr addrspace(1) @spgc_allocate_array(ptr %type, i64 %length)
  ret ptr addrspace(1) %a

object:
  %o = call ptr addrspace(1) @spgc_allocate(ptr %type)
  ret ptr addrspace(1) %o
}

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(ptr @node, i64 %length)
  ret ptr addrspace(1) %o
}
