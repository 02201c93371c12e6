; rejected: an entry is not a function
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
    [{ i32, ptr, ptr } { i32 5, ptr getelementptr (i8, ptr @g, i64 1), ptr null }]
define void @g() { ret void }
