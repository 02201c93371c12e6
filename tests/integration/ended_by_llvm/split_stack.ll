; LLVM 19: Segmented stacks do not support vararg functions.
define void @f(i64 %n, ...) "split-stack" { %x = alloca i8, i64 %n call void @g(ptr %x) ret void }
declare void @g(ptr)
