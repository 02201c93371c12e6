; Descriptors that are right, or not known to be wrong.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@offsets = internal constant [2 x i32] [i32 8, i32 16]
@tail = internal constant [1 x i32] [i32 16]
@element = internal constant [2 x i32] [i32 0, i32 8]
@plain = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 2, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }
@array = internal constant %spgc_type { i32 24, i32 16, i32 1, i32 1, ptr @tail, i32 2, i32 0,
    ptr @element, ptr null }
@values = internal constant %spgc_type { i32 24, i32 8, i32 7, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@bytes = internal constant %spgc_type { i32 16, i32 1, i32 1, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@variable = global %spgc_type { i32 0, i32 0, i32 0, i32 0, ptr null, i32 0, i32 1, ptr null,
    ptr null }
@replaceable = weak constant %spgc_type { i32 0, i32 0, i32 0, i32 0, ptr null, i32 0, i32 1,
    ptr null, ptr null }
@filled = externally_initialized constant %spgc_type { i32 0, i32 0, i32 0, i32 0, ptr null, i32 0,
    i32 1, ptr null, ptr null }
@part = constant %spgc_type { i32 undef, i32 0, i32 0, i32 2, ptr @elsewhere, i32 0, i32 0,
    ptr null, ptr null }
@elsewhere = external constant [2 x i32]
@declared = external constant %spgc_type

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(i64 %length) gc "statepoint-example" {
  %plain = call ptr addrspace(1) @spgc_allocate(ptr @plain)
  %array = call ptr addrspace(1) @spgc_allocate(ptr @array)
  %values = call ptr addrspace(1) @spgc_allocate(ptr @values)
  %variable = call ptr addrspace(1) @spgc_allocate(ptr @variable)
  %replaceable = call ptr addrspace(1) @spgc_allocate(ptr @replaceable)
  %filled = call ptr addrspace(1) @spgc_allocate(ptr @filled)
  %part = call ptr addrspace(1) @spgc_allocate(ptr @part)
  %declared = call ptr addrspace(1) @spgc_allocate(ptr @declared)
  %array.made = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %length)
  %values.made = call ptr addrspace(1) @spgc_allocate_array(ptr @values, i64 %length)
  %bytes.made = call ptr addrspace(1) @spgc_allocate_array(ptr @bytes, i64 %length)
  %chosen = icmp eq i64 %length, 0
  %type = select i1 %chosen, ptr @array, ptr @plain
  %o = call ptr addrspace(1) @spgc_allocate(ptr %type)
  ret ptr addrspace(1) %o
}
