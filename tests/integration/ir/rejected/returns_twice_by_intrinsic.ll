; rejected: a call that returns twice
declare i32 @llvm.eh.sjlj.setjmp(ptr)

define i32 @f(ptr %buffer) gc "statepoint-example" {
  %again = call i32 @llvm.eh.sjlj.setjmp(ptr %buffer)
  ret i32 %again
}
