; Expressions that linkers compute.
$shared = comdat any
$own = comdat nodeduplicate
@x = global [4 x i32] zeroinitializer, comdat($shared)
@y = global i32 0, comdat($own)
@distance = global i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @x, i64 8) to i64),
    i64 ptrtoint (ptr @x to i64))
@inside = global { ptr, i64 } { ptr getelementptr inbounds ([4 x i32], ptr @x, i64 0, i64 2),
    i64 add (i64 ptrtoint (ptr @y to i64), i64 4) }
@half = global i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64),
    i64 ptrtoint (ptr @half to i64)) to i32)
@number = global ptr inttoptr (i64 4096 to ptr)
define void @f() gc "statepoint-example" { ret void }
