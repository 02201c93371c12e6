; LLVM 19: failed to perform tail call elimination on a call site marked musttail
declare zeroext i8 @g()
define signext i8 @f() { %r = musttail call zeroext i8 @g() ret i8 %r }
