; rejected: not an x86-64 processor
define double @f(double %x) "target-cpu"="i386" { %y = fadd double %x, 1.0 ret double %y }
