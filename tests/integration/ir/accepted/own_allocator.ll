; A function of the frontend's runtime allocates objects, and malloc gives unmanaged memory.
declare ptr addrspace(1) @make_string(ptr, i64)
declare noalias ptr @malloc(i64) allocsize(0)

define ptr addrspace(1) @name() gc "statepoint-example" {
  %buffer = call ptr @malloc(i64 16)
  store i64 7, ptr %buffer
  %string = call ptr addrspace(1) @make_string(ptr %buffer, i64 1)
  ret ptr addrspace(1) %string
}
