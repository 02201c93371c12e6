; LLVM 19: Do not know how to promote this operator!
declare i1 @llvm.type.test(ptr, metadata)
define i1 @f(ptr %x) { %z = call i1 @llvm.type.test(ptr %x, metadata !"t") ret i1 %z }
