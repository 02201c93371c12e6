; An invoke with a token for a landing pad.
declare void @unknown()
declare ptr addrspace(1) @caught()
declare i32 @personality(...)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" personality
    ptr @personality {
entry:
  invoke void @unknown() to label %normal unwind label %handler
normal:
  ret ptr addrspace(1) %object
handler:
  %pad = landingpad token catch ptr null
  %exception = call ptr addrspace(1) @caught()
  ret ptr addrspace(1) %exception
}
