; A structure passed in registers, taken apart where the function begins or where a part is used.
declare void @unknown()

define ptr addrspace(1) @f({ ptr addrspace(1), { ptr addrspace(1), i64 } } %pair,
    i1 %c) gc "statepoint-example" {
entry:
  %first = extractvalue { ptr addrspace(1), { ptr addrspace(1), i64 } } %pair, 0
  call void @unknown()
  br i1 %c, label %one, label %two
one:
  %inner = extractvalue { ptr addrspace(1), { ptr addrspace(1), i64 } } %pair, 1
  %second = extractvalue { ptr addrspace(1), i64 } %inner, 0
  call void @unknown()
  ret ptr addrspace(1) %second
two:
  ret ptr addrspace(1) %first
}
