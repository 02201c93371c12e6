; rejected: a landing pad must be a token, which the relocations of its
declare void @unknown()
declare i32 @personality(...)

define internal void @careful() alwaysinline personality ptr @personality {
entry:
  invoke void @unknown() to label %normal unwind label %handler
normal:
  ret void
handler:
  %pad = landingpad { ptr, i32 } cleanup
  call void @unknown()
  resume { ptr, i32 } %pad
}

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" personality
    ptr @personality {
  call void @careful()
  ret ptr addrspace(1) %object
}
