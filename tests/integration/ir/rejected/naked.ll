; rejected: naked functions and coroutines
define void @f() naked gc "statepoint-example" {
  unreachable
}
