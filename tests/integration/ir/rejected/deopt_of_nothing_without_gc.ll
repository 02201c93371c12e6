; rejected: does not keep a value of this type in an operand bundle
declare void @collect()

define void @f() {
  call void @collect() [ "deopt"({ [0 x i64], {} } zeroinitializer) ]
  ret void
}
