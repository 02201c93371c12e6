; The form of the releases before LLVM 22, which reads it too.
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare void @fill(ptr)

define ptr addrspace(1) @filled() gc "statepoint-example" {
  %out = alloca ptr addrspace(1)
  call void @llvm.lifetime.start.p0(i64 8, ptr %out)
  call void @fill(ptr %out)
  %reference = load ptr addrspace(1), ptr %out
  call void @llvm.lifetime.end.p0(i64 8, ptr %out)
  ret ptr addrspace(1) %reference
}
