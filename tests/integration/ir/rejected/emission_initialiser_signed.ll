; rejected: no linker computes
@x = global i32 0
@p = global ptr ptrauth (ptr @x, i32 0)
