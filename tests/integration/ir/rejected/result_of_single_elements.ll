; rejected: a result of a statepoint that does not fit the registers
; A vector of a single word is returned as a word.
declare { <1 x i64>, <1 x i64>, <1 x i64>, <1 x i64> } @wide()

define void @f() gc "statepoint-example" {
  %r = call { <1 x i64>, <1 x i64>, <1 x i64>, <1 x i64> } @wide()
  ret void
}
