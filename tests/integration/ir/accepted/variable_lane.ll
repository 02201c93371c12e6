; A lane that is not constant, behind a safepoint. For AArch64 LLVM 19 crashes on it.
declare void @collect()

define ptr addrspace(1) @f(<4 x ptr addrspace(1)> %all, i64 %lane) gc "statepoint-example" {
  call void @collect()
  %one = extractelement <4 x ptr addrspace(1)> %all, i64 %lane
  ret ptr addrspace(1) %one
}
