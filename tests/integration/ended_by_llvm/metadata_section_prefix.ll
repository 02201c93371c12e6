; LLVM 19: crashed
define void @f() !section_prefix !0 { ret void }
!0 = !{i32 5}
