; rejected: the gc strategy is not one that gets statepoints
define void @f() gc "shadow-stack" {
  ret void
}
