; rejected: not of 64 bits
define double @f(double %x) "target-features"="-64bit" { %y = fadd double %x, 1.0 ret double %y }
