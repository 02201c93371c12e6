; LLVM inlines these away and erases them while functions that call themselves are looked after.
declare void @visit(ptr addrspace(1))
declare ptr @spgc_personality(...)

define internal i64 @f(i64 %n, ptr addrspace(1) %o) alwaysinline gc "statepoint-example" {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %more
more:
  %less = sub i64 %n, 1
  call void @visit(ptr addrspace(1) %o)
  %r = call i64 @f(i64 %less, ptr addrspace(1) %o)
  ret i64 %r
end:
  ret i64 0
}

define internal i64 @invoked(i64 %n, ptr addrspace(1) %o) alwaysinline
    gc "statepoint-example" personality ptr @spgc_personality {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %more
more:
  %less = sub i64 %n, 1
  call void @visit(ptr addrspace(1) %o)
  %r = invoke i64 @invoked(i64 %less, ptr addrspace(1) %o) to label %go unwind label %pad
go:
  call void @visit(ptr addrspace(1) %o)
  ret i64 %r
pad:
  %token = landingpad token cleanup
  ret i64 1
end:
  ret i64 0
}

define i64 @g(ptr addrspace(1) %o) gc "statepoint-example" {
  %a = call i64 @f(i64 5, ptr addrspace(1) %o)
  %b = call i64 @invoked(i64 5, ptr addrspace(1) %o)
  %r = add i64 %a, %b
  ret i64 %r
}
