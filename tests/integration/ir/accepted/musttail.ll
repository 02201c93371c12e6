; A tail call that passes registers; inlined into the caller, it is an ordinary call.
declare ptr addrspace(1) @unknown(ptr addrspace(1))

define internal ptr addrspace(1) @step(ptr addrspace(1) %a) gc "statepoint-example" {
  %r = musttail call ptr addrspace(1) @unknown(ptr addrspace(1) %a)
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" {
  %b = call ptr addrspace(1) @step(ptr addrspace(1) %a)
  %same = icmp eq ptr addrspace(1) %a, %b
  %r = select i1 %same, ptr addrspace(1) %a, ptr addrspace(1) null
  ret ptr addrspace(1) %r
}
