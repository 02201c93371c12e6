; rejected: it uses references across calls and has no gc attribute
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
declare void @collect()
declare i64 @use(ptr byval(%pair) align 8)

define i64 @f(ptr byval(%pair) align 8 %p) {
  call void @collect()
  %r = call i64 @use(ptr byval(%pair) align 8 %p)
  ret i64 %r
}
