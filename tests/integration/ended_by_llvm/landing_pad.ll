; LLVM 19: crashed
declare void @g()
declare i32 @p(...)
define void @f() personality ptr @p { invoke void @g() to label %ok unwind label %bad
ok: ret void
bad: %p = landingpad i32 cleanup ret void }
