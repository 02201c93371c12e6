; Leaves that use an interior pointer and return what they read there.
declare i64 @length(ptr addrspace(1)) "gc-leaf-function"

define ptr addrspace(1) @take(ptr addrspace(1) %place, ptr addrspace(1) %other) noinline optnone
    "gc-leaf-function" {
  %variable = alloca ptr addrspace(1)
  store ptr addrspace(1) %place, ptr %variable
  %same = load ptr addrspace(1), ptr %variable
  %first = load ptr addrspace(1), ptr addrspace(1) %same
  %next = getelementptr i8, ptr addrspace(1) %same, i64 8
  store ptr addrspace(1) %other, ptr addrspace(1) %next
  %length = call i64 @length(ptr addrspace(1) %next)
  %none = icmp eq i64 %length, 0
  %taken = select i1 %none, ptr addrspace(1) null, ptr addrspace(1) %first
  ret ptr addrspace(1) %taken
}

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %place = getelementptr i8, ptr addrspace(1) %object, i64 16
  %taken = call ptr addrspace(1) @take(ptr addrspace(1) %place, ptr addrspace(1) %object)
  ret ptr addrspace(1) %taken
}
