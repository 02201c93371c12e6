; The only safepoints are in a function of which no code is made.
@table = global ptr @elsewhere

declare void @unknown()

define available_externally void @elsewhere() gc "statepoint-example" {
  call void @unknown()
  ret void
}

define i64 @here(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
