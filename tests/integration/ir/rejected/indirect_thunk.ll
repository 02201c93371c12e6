; rejected: an indirect call that goes through a thunk
define void @f(ptr %g) "target-features"="+retpoline-indirect-calls,+retpoline-indirect-branches"
    gc "statepoint-example" {
  call void %g()
  ret void
}
