; rejected: a result of a statepoint that does not fit the registers
declare { i64, i64, i64, i64 } @wide()

define i64 @f() gc "statepoint-example" {
  %all = call { i64, i64, i64, i64 } @wide()
  %last = extractvalue { i64, i64, i64, i64 } %all, 3
  ret i64 %last
}
