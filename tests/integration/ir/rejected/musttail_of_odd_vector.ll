; rejected: a musttail call with arguments on the stack
; LLVM takes it apart.
declare void @next(<3 x double>)

define void @f(<3 x double> %x0) gc "statepoint-example" {
  musttail call void @next(<3 x double> %x0)
  ret void
}
