; rejected: a leaf makes calls that may reach safepoints
define i64 @managed() gc "statepoint-example" {
  ret i64 1
}

define i64 @leaf() "gc-leaf-function" {
  %number = call i64 @managed()
  ret i64 %number
}
