; LLVM 19: X86 interrupts may not be called directly
declare x86_intrcc void @g(ptr byval(i64), i64)
define void @f(ptr %p) { call x86_intrcc void @g(ptr byval(i64) %p, i64 0) ret void }
