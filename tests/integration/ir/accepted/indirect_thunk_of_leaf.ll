; Thunks of direct calls and of leaves are no matter.
declare void @known()

define void @f(ptr %g) "target-features"="+retpoline,+retpoline-indirect-calls"
    gc "statepoint-example" {
  call void @known()
  call void %g() "gc-leaf-function"
  ret void
}
