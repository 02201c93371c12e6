; A plain call with arguments on the stack.
declare fastcc ptr addrspace(1) @next(ptr addrspace(1), i64, i64, i64, i64, i64, i64,
    ptr addrspace(1))

define ptr addrspace(1) @f(ptr addrspace(1) %a, i64 %b,
    ptr addrspace(1) %c) gc "statepoint-example" {
  %r = call fastcc ptr addrspace(1) @next(ptr addrspace(1) %a, i64 %b, i64 1, i64 2, i64 3, i64 4,
  i64 5, ptr addrspace(1) %c)
  %same = icmp eq ptr addrspace(1) %r, %c
  %s = select i1 %same, ptr addrspace(1) %a, ptr addrspace(1) %c
  ret ptr addrspace(1) %s
}
