; rejected: a structure with references is passed in stack memory
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
declare void @wait(ptr byval(%pair) align 8)

define void @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %p = alloca %pair
  store %pair zeroinitializer, ptr %p
  store ptr addrspace(1) %o, ptr %p
  call void @wait(ptr byval(%pair) align 8 %p) [ "gc-transition"() ]
  ret void
}
