; rejected: guards and deoptimisation
declare i64 @llvm.experimental.deoptimize.i64(...)

define i64 @f() gc "statepoint-example" {
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i64 1) [ "deopt"() ]
  ret i64 %r
}
