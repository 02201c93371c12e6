; Managed code for docs/stackwalk/alone.c, with a statepoint as RewriteStatepointsForGC makes it.
target triple = "x86_64-pc-linux-gnu"

; The label of the section's start. alone.c, which is linked behind, has that of its end.
module asm ".pushsection .llvm_stackmaps, \22a\22, @progbits"
module asm ".globl stack_maps_start"
module asm "stack_maps_start:"
module asm ".popsection"

declare void @collect()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg,
                                                  i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)

define ptr addrspace(1) @work(ptr addrspace(1) %object) uwtable(sync) gc "statepoint-example" {
  %call = call token (i64, i32, ptr, i32, i32, ...)
      @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @collect,
                                          i32 0, i32 0, i32 0, i32 0)
      [ "gc-live"(ptr addrspace(1) %object) ]
  %now = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %call, i32 0, i32 0)
  ret ptr addrspace(1) %now
}
