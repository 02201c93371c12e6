; rejected: a leaf makes a call that may reach a safepoint
define i64 @managed() gc "statepoint-example" {
  ret i64 1
}

define i64 @leaf() "gc-leaf-function" {
  %number = call i64 @managed()
  ret i64 %number
}
