; rejected: LLVM cannot resume the token of a landing pad
declare void @may_throw()
declare void @clean(ptr addrspace(1))
declare i32 @spgc_personality(...)

define void @f(ptr addrspace(1) %object) gc "statepoint-example" personality ptr @spgc_personality {
  invoke void @may_throw() to label %normal unwind label %handler

normal:
  ret void

handler:
  %pad = landingpad token cleanup
  call void @clean(ptr addrspace(1) %object)
  resume token %pad
}
