; rejected: does not keep a value of this type in an operand bundle
declare void @collect()

define void @f() gc "statepoint-example" {
  call void @collect() [ "deopt"(i64 1, token none) ]
  ret void
}
