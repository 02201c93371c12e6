; rejected: a musttail call with arguments on the stack
; It is passed on the stack.
declare void @next(x86_fp80)

define void @f(x86_fp80 %x0) gc "statepoint-example" {
  musttail call void @next(x86_fp80 %x0)
  ret void
}
