; rejected: no authenticated pointers
define void @f(ptr %p) { call void %p() ["ptrauth"(i32 0, i64 5)] ret void }
