; rejected: LLVM does not know an appending variable
@x = appending global [1 x i32] [i32 5]
