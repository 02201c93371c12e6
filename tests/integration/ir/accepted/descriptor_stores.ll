; What a descriptor lists may be stored: fields, every word of a part of values, the tail, a header.
@offsets = internal constant [1 x i32] [i32 8]
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
        { i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 0, i32 0, ptr null, ptr null }
@values = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
          { i32 16, i32 8, i32 5, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }
@other = external constant i8

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)

define void @f(ptr addrspace(1) %value, i64 %n) gc "statepoint-example" {
  %node = call ptr addrspace(1) @spgc_allocate(ptr @node)
  store ptr @node, ptr addrspace(1) %node
  %field = getelementptr i8, ptr addrspace(1) %node, i64 8
  store ptr addrspace(1) %value, ptr addrspace(1) %field
  %number = getelementptr i8, ptr addrspace(1) %node, i64 16
  store i64 %n, ptr addrspace(1) %number
  %values = call ptr addrspace(1) @spgc_allocate_array(ptr @values, i64 4)
  %element = getelementptr i8, ptr addrspace(1) %values, i64 40
  store ptr addrspace(1) %value, ptr addrspace(1) %element
  %unknown = call ptr addrspace(1) @spgc_allocate(ptr @other)
  %anywhere = getelementptr i8, ptr addrspace(1) %unknown, i64 80
  store ptr addrspace(1) %value, ptr addrspace(1) %anywhere
  ret void
}
