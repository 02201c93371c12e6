; rejected: by other attributes than its function
declare zeroext i8 @g()
define signext i8 @f() { %r = musttail call zeroext i8 @g() ret i8 %r }
