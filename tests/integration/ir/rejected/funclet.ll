; rejected: funclets are not supported
declare void @unknown()
declare i32 @__CxxFrameHandler3(...)

define void @f() gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @unknown() to label %normal unwind label %cleanup
normal:
  ret void
cleanup:
  %pad = cleanuppad within none []
  cleanupret from %pad unwind to caller
}
