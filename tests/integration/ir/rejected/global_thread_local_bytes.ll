; rejected: a reference is stored in a global variable whose type does not show it
@own = thread_local global [8 x i8] zeroinitializer, align 8

declare ptr @llvm.threadlocal.address.p0(ptr)

define void @keep(ptr addrspace(1) %object) gc "statepoint-example" {
  %own = call ptr @llvm.threadlocal.address.p0(ptr @own)
  store ptr addrspace(1) %object, ptr %own
  ret void
}
