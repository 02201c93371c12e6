; rejected: a "gc-transition" bundle sets a flag of the statepoint, which this
declare void @wait(i64)

define void @f(i64 %n) gc "statepoint-example" {
  call void @wait(i64 %n) [ "gc-transition"(i64 1) ]
  ret void
}
