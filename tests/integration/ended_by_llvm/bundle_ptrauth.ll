; LLVM 19: This target doesn't support calls with ptrauth operand bundles.
define void @f(ptr %p) { call void %p() ["ptrauth"(i32 0, i64 5)] ret void }
