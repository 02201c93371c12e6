; LLVM 19: Unsupported expression in static initializer: xor (i64 ptrtoint (ptr
@x = global i32 0
@p = global i64 xor (i64 ptrtoint (ptr @x to i64), i64 7)
