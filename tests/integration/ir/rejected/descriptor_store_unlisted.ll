; rejected: a reference is stored at offset 16 of an object whose descriptor 'node' lists none there
@offsets = internal constant [1 x i32] [i32 8]
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
        { i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f(ptr addrspace(1) %value) gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  store ptr addrspace(1) %o, ptr %variable
  %same = load ptr addrspace(1), ptr %variable
  %listed = getelementptr i8, ptr addrspace(1) %same, i64 8
  store ptr addrspace(1) %value, ptr addrspace(1) %listed
  %unlisted = getelementptr i8, ptr addrspace(1) %listed, i64 8
  store ptr addrspace(1) %value, ptr addrspace(1) %unlisted
  ret ptr addrspace(1) %o
}
