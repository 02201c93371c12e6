; rejected: a musttail call with arguments on the stack
; Seven words.
declare void @next(ptr addrspace(1), i128, i128, i128)

define void @f(ptr addrspace(1) %x0, i128 %x1, i128 %x2, i128 %x3) gc "statepoint-example" {
  musttail call void @next(ptr addrspace(1) %x0, i128 %x1, i128 %x2, i128 %x3)
  ret void
}
