; LLVM 19: Cannot select: intrinsic %llvm.hwasan.check.memaccess
declare void @llvm.clear_cache(ptr, ptr)
declare void @llvm.xray.customevent(ptr, i64)
declare void @llvm.ubsantrap(i8)
declare void @llvm.hwasan.check.memaccess(ptr, ptr, i32)
define void @f(ptr %p) { call void @llvm.hwasan.check.memaccess(ptr %p, ptr %p, i32 0) ret void }
