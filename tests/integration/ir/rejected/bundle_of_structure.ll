; rejected: does not keep a value of this type in an operand bundle
; The stack map would have the first word alone.
declare void @collect()

define void @f([2 x i64] %words) gc "statepoint-example" {
  call void @collect() [ "deopt"([2 x i64] %words) ]
  ret void
}
