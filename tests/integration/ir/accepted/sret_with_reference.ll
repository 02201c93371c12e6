%pair = type { ptr addrspace(1), ptr addrspace(1), i64 }

define void @f(ptr sret(%pair) %result, ptr addrspace(1) %a) gc "statepoint-example" {
  store ptr addrspace(1) %a, ptr %result
  ret void
}
