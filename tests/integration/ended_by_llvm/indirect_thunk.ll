; LLVM 19: Lowering register statepoints with thunks not yet implemented.
define void @f(ptr %g) "target-features"="+retpoline-indirect-calls,+retpoline-indirect-branches"
    gc "statepoint-example" {
  call void %g()
  ret void
}
