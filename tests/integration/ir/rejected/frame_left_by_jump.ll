; rejected: the frame of a managed function is left by a jump
declare void @llvm.eh.sjlj.longjmp(ptr)

define void @leave(ptr %buffer, ptr addrspace(1) %object) gc "statepoint-example" {
  call void @llvm.eh.sjlj.longjmp(ptr %buffer)
  unreachable
}
