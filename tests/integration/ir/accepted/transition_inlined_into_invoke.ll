; A transition is a plain call when it comes, and may be inlined where the call around it is an
; invoke.
declare void @wait(i64)
declare ptr @spgc_personality(...)
declare void @visit(ptr addrspace(1))

define internal void @waits(i64 %n) gc "statepoint-example" {
  call void @wait(i64 %n) [ "gc-transition"() ]
  ret void
}

define i64 @f(ptr addrspace(1) %o) gc "statepoint-example" personality ptr @spgc_personality {
  invoke void @waits(i64 5) to label %go unwind label %pad
go:
  call void @visit(ptr addrspace(1) %o)
  ret i64 0
pad:
  %token = landingpad token cleanup
  call void @visit(ptr addrspace(1) %o)
  ret i64 1
}
