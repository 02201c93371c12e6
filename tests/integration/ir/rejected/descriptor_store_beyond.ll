; rejected: the store ends at byte 32 of an object whose descriptor 'node' gives it 24 bytes
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
        { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @f(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr { ptr, [2 x i64] }, ptr addrspace(1) %o, i64 0, i32 1, i64 2
  store i64 %n, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}
