; An allocation whose out-of-memory hook may unwind.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@node.offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }
declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @personality(...)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" personality
    ptr @personality {
entry:
  %new = invoke ptr addrspace(1) @spgc_allocate(ptr @node) to label %normal unwind label %handler
normal:
  %field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store ptr addrspace(1) %object, ptr addrspace(1) %field
  ret ptr addrspace(1) %new
handler:
  %pad = landingpad token catch ptr null
  ret ptr addrspace(1) %object
}
