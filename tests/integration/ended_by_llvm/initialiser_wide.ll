; LLVM 19: Unsupported expression in static initializer: ptrtoint (ptr @x to
@x = global i32 0
@p = global i32 ptrtoint (ptr @x to i32)
@q = global i16 trunc (i64 ptrtoint (ptr @x to i64) to i16)
@r = global i128 ptrtoint (ptr @x to i128)
@s = global ptr addrspacecast (ptr addrspace(3) @t to ptr)
@t = addrspace(3) global i32 0
