; LLVM 19: unsupported x86 interrupt prototype
define x86_intrcc void @f(ptr byval(i64) %a, i64 %b, i64 %c) { ret void }
