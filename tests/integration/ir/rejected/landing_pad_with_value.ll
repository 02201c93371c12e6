; rejected: a landing pad must be a token, which the relocations of its
declare void @unknown()
declare i32 @personality(...)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" personality
    ptr @personality {
entry:
  invoke void @unknown() to label %normal unwind label %handler
normal:
  ret ptr addrspace(1) %object
handler:
  %pad = landingpad { ptr, i32 } catch ptr null
  ret ptr addrspace(1) null
}
