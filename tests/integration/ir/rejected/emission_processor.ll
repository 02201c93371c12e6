; rejected: its "target-cpu" is no processor of the target
define double @f(double %x) "target-cpu"="i386" { %y = fadd double %x, 1.0 ret double %y }
