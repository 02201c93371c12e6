; LLVM 19: crashed
declare void @llvm.xray.customevent(ptr, i64)

define void @tell(ptr %event) {
  call void @llvm.xray.customevent(ptr %event, i64 8)
  ret void
}
