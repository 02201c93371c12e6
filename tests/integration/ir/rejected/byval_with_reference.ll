; rejected: a structure with references is passed in stack memory
%pair = type { ptr addrspace(1), ptr addrspace(1), i64 }

define ptr addrspace(1) @f(ptr byval(%pair) %pair) gc "statepoint-example" {
  %a = load ptr addrspace(1), ptr %pair
  ret ptr addrspace(1) %a
}
