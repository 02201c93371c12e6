; LLVM 19: invalid llvm.linker.options
!llvm.linker.options = !{!0}
!0 = !{i32 5}
define void @f() { ret void }
