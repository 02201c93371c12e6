; rejected: it uses references across calls and has no gc attribute
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
declare void @collect()
declare void @make(ptr sret(%pair) align 8)

define void @f(ptr sret(%pair) align 8 %p) {
  call void @collect()
  call void @make(ptr sret(%pair) align 8 %p)
  ret void
}

define void @managed() gc "statepoint-example" {
  ret void
}
