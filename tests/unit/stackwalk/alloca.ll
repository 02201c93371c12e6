; A reference in an alloca that a statepoint lists, and deopt state, neither of which
; rewrite-statepoints-for-gc makes.

declare void @collect()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg,
    i32 immarg, ...)

define i64 @read_alloca(ptr addrspace(1) %object) uwtable(sync) gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  %other = alloca ptr addrspace(1)
  store volatile ptr addrspace(1) %object, ptr %variable
  store volatile ptr addrspace(1) %object, ptr %other
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 9,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0,
  i32 0) [ "deopt"(i32 5, i64 99999999999, i64 -3), "gc-live"(ptr %variable, ptr %other) ]
  %moved = load volatile ptr addrspace(1), ptr %variable
  %also = load volatile ptr addrspace(1), ptr %other
  %x = load i64, ptr addrspace(1) %moved
  %y = load i64, ptr addrspace(1) %also
  %sum = add i64 %x, %y
  ret i64 %sum
}

; A structure { i64, reference, reference, i64, reference } and the runs of its words, behind the
; frame's own deopt state.
define i64 @read_structure(ptr addrspace(1) %object) uwtable(sync) gc "statepoint-example" {
  %structure = alloca { i64, [2 x ptr addrspace(1)], i64, ptr addrspace(1) }
  %address = ptrtoint ptr addrspace(1) %object to i64
  store volatile i64 %address, ptr %structure
  %first = getelementptr i8, ptr %structure, i64 8
  store volatile ptr addrspace(1) %object, ptr %first
  %second = getelementptr i8, ptr %structure, i64 16
  store volatile ptr addrspace(1) null, ptr %second
  %number = getelementptr i8, ptr %structure, i64 24
  store volatile i64 %address, ptr %number
  %third = getelementptr i8, ptr %structure, i64 32
  store volatile ptr addrspace(1) %object, ptr %third
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 10,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0,
  i32 0) [ "deopt"(i64 5, ptr %structure, i64 524290, i64 2097153, i64 3, i64 8318818622808486003) ]
  %one = load volatile ptr addrspace(1), ptr %first
  %other = load volatile ptr addrspace(1), ptr %third
  %word = load volatile i64, ptr %structure
  %last = load volatile i64, ptr %number
  %x = load i64, ptr addrspace(1) %one
  %y = load i64, ptr addrspace(1) %other
  %same = icmp eq i64 %word, %address
  %same.last = icmp eq i64 %last, %address
  %kept = and i1 %same, %same.last
  %sum = add i64 %x, %y
  %result = select i1 %kept, i64 %sum, i64 0
  ret i64 %result
}
