; rejected: the frame of a managed function is left by a jump
declare void @llvm.eh.return.i64(i64, ptr)

define void @leave(i64 %distance, ptr %handler, ptr addrspace(1) %object) gc "statepoint-example" {
  call void @llvm.eh.return.i64(i64 %distance, ptr %handler)
  unreachable
}
