; rejected: for which this runtime has no use
declare void @wait(i64)

define void @f(i64 %n) gc "statepoint-example" {
  call void @wait(i64 %n) [ "gc-transition"(i64 1) ]
  ret void
}
