; rejected: the runtime's function has another type
declare i64 @spgc_exception() "gc-leaf-function"

define i64 @f() gc "statepoint-example" {
  %exception = call i64 @spgc_exception()
  ret i64 %exception
}
