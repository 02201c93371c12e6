; rejected: a reference is stored at offset 48 of an object whose descriptor 'pairs' lists none there
@offsets = internal constant [1 x i32] [i32 8]
@pairs = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
         { i32 16, i32 16, i32 1, i32 0, ptr null, i32 1, i32 0, ptr @offsets, ptr null }

declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define ptr addrspace(1) @f(ptr addrspace(1) %value) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @pairs, i64 4)
  %listed = getelementptr i8, ptr addrspace(1) %o, i64 40
  store ptr addrspace(1) %value, ptr addrspace(1) %listed
  %unlisted = getelementptr i8, ptr addrspace(1) %o, i64 48
  store ptr addrspace(1) %value, ptr addrspace(1) %unlisted
  ret ptr addrspace(1) %o
}
