; rejected: an inalloca argument has to be the last
declare void @take(ptr inalloca(i64))

define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %number = alloca inalloca i64
  store i64 1, ptr %number
  call void @take(ptr inalloca(i64) %number)
  ret ptr addrspace(1) %o
}
