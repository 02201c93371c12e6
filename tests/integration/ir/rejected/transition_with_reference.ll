; rejected: runs while objects move
declare void @wait(ptr addrspace(1))

define void @f(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @wait(ptr addrspace(1) %a) [ "gc-transition"() ]
  ret void
}
