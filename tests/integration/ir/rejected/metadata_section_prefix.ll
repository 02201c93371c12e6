; rejected: not a pair of strings
define void @f() !section_prefix !0 { ret void }
!0 = !{i32 5}
