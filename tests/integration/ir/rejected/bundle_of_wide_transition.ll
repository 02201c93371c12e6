; rejected: does not keep a value of this type in an operand bundle
declare void @wait()

define void @f() gc "statepoint-example" {
  call void @wait() [ "gc-transition"(i128 5) ]
  ret void
}
