; rejected: inline assembly cannot be a statepoint
define void @f() gc "statepoint-example" {
  call void asm sideeffect "nop", ""()
  ret void
}
