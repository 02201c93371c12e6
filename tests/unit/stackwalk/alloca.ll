; A reference in an alloca that a statepoint lists, and deopt state, neither of which rewrite-statepoints-for-gc makes.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
target triple = "x86_64-unknown-linux-gnu"

declare void @collect()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

define i64 @read_alloca(ptr addrspace(1) %object) uwtable(sync) gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  %other = alloca ptr addrspace(1)
  store volatile ptr addrspace(1) %object, ptr %variable
  store volatile ptr addrspace(1) %object, ptr %other
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 9, i32 0, ptr elementtype(void ()) @collect, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 5, i64 99999999999, i64 -3), "gc-live"(ptr %variable, ptr %other) ]
  %moved = load volatile ptr addrspace(1), ptr %variable
  %also = load volatile ptr addrspace(1), ptr %other
  %x = load i64, ptr addrspace(1) %moved
  %y = load i64, ptr addrspace(1) %also
  %sum = add i64 %x, %y
  ret i64 %sum
}
