; rejected: x86_intrcc function takes a frame
define x86_intrcc void @f(ptr byval(i64) %a, i64 %b, i64 %c) { ret void }
