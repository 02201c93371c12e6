; LLVM 19: unknown special variable with appending linkage
@x = appending global [1 x i32] [i32 5]
