; rejected: cannot split the stack
define void @f(i64 %n, ...) "split-stack" { %x = alloca i8, i64 %n call void @g(ptr %x) ret void }
declare void @g(ptr)
