; rejected: linkers cannot compute
@x = global i32 0
@p = global ptr ptrauth (ptr @x, i32 0)
