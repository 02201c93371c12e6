; rejected: different attributes of their results
declare zeroext i8 @g()
define signext i8 @f() { %r = musttail call zeroext i8 @g() ret i8 %r }
