; rejected: a structure with references is passed in stack memory
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
declare void @sum(i64, ...)

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %p = alloca %pair
  store %pair zeroinitializer, ptr %p
  store ptr addrspace(1) %o, ptr %p
  call void (i64, ...) @sum(i64 1, ptr byval(%pair) align 8 %p)
  ret void
}
