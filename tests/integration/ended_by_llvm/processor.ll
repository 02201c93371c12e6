; LLVM 19: 64-bit code requested on a subtarget that doesn't support it!
define double @f(double %x) "target-cpu"="i386" { %y = fadd double %x, 1.0 ret double %y }
