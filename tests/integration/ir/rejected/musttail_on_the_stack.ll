; rejected: a musttail call with arguments on the stack
declare ptr addrspace(1) @next(ptr addrspace(1), i64, i64, i64, i64, i64, i64)

define ptr addrspace(1) @f(ptr addrspace(1) %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g,
    i64 %h) gc "statepoint-example" {
  %r = musttail call ptr addrspace(1) @next(ptr addrspace(1) %a, i64 %b, i64 %c, i64 %d, i64 %e,
  i64 %g, i64 %h)
  ret ptr addrspace(1) %r
}
