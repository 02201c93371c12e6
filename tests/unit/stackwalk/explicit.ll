; Statepoints as a frontend writes that places them itself: what rewrite-statepoints-for-gc never
; makes.

@stack_descriptor = constant i64 2 ; references in an object on the stack

declare void @collect()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg,
    i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)

; An object on the stack: a descriptor, then two references. The statepoint lists the alloca, the
; runtime reads on.
define i64 @sum_of_stack_object(ptr addrspace(1) %a, ptr addrspace(1) %b) uwtable(sync)
    gc "statepoint-example" {
  %object = alloca { ptr, ptr addrspace(1), ptr addrspace(1) }
  %first = getelementptr i8, ptr %object, i64 8
  %second = getelementptr i8, ptr %object, i64 16
  store volatile ptr @stack_descriptor, ptr %object
  store volatile ptr addrspace(1) %a, ptr %first
  store volatile ptr addrspace(1) %b, ptr %second
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 12,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr %object) ]
  %moved.a = load volatile ptr addrspace(1), ptr %first
  %moved.b = load volatile ptr addrspace(1), ptr %second
  %x = load i64, ptr addrspace(1) %moved.a
  %y = load i64, ptr addrspace(1) %moved.b
  %sum = add i64 %x, %y
  ret i64 %sum
}

; A base that is a constant of more than 32 bits, as a pair of its own and with a pointer derived
; from it; large deopt constants beside it.
define i64 @keep_pooled_base(ptr addrspace(1) %a, i64 %index) uwtable(sync)
    gc "statepoint-example" {
  %base = inttoptr i64 81985529216486895 to ptr addrspace(1)
  %derived = getelementptr i8, ptr addrspace(1) %base, i64 %index
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 13,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0,
  i32 0) [ "deopt"(i64 -81985529216486895, i64 %index, i64 7),
  "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %moved.a = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 0, i32 0)
  %kept.base = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 1, i32 1)
  %kept = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 1, i32 2)
  %x = load i64, ptr addrspace(1) %moved.a
  %base.bits = ptrtoint ptr addrspace(1) %kept.base to i64
  %bits = ptrtoint ptr addrspace(1) %kept to i64
  %distance = sub i64 %bits, %base.bits
  %sum = add i64 %x, %distance
  ret i64 %sum
}

; For a collector that does not move: the code goes on with the references it had. LLVM records what
; is relocated and nothing else, so relocates say what is live; nobody uses their results.
define i64 @sum_without_relocation(ptr addrspace(1) %a,
    ptr addrspace(1) %b) uwtable(sync) gc "statepoint-example" {
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 14,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0,
  i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
  %unused.a = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 0, i32 0)
  %unused.b = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 1, i32 1)
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %sum = add i64 %x, %y
  ret i64 %sum
}

; The same told as deopt state, which needs no relocates.
define i64 @sum_with_deopt_roots(ptr addrspace(1) %a, ptr addrspace(1) %b) uwtable(sync)
    gc "statepoint-example" {
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 15,
  i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0,
  i32 0) [ "deopt"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %sum = add i64 %x, %y
  ret i64 %sum
}
