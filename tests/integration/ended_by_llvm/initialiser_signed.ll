; LLVM 19: ptrauth constant lowering not implemented
@x = global i32 0
@p = global ptr ptrauth (ptr @x, i32 0)
