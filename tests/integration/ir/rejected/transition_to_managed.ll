; rejected: only plain calls of unmanaged functions
define void @g() gc "statepoint-example" {
  ret void
}

define void @f() gc "statepoint-example" {
  call void @g() [ "gc-transition"() ]
  ret void
}
