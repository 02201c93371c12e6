; A call that is generated as a sled of nops, while an object and a pointer into it are live; and a
; patchpoint.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i64 @nobody(i64)

define i64 @call_through_sled(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %first = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 1000, ptr addrspace(1) %first
  %second = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 20000, ptr addrspace(1) %second
  %r = call i64 @nobody(i64 %n) "statepoint-id"="4711" "statepoint-num-patch-bytes"="24"
  %x = load volatile i64, ptr addrspace(1) %first
  %y = load volatile i64, ptr addrspace(1) %second
  %xy = add i64 %x, %y
  %sum = add i64 %xy, %r
  ret i64 %sum
}
