; Records of the stackmap and patchpoint intrinsics: live-outs, constants of every size, an alloca.

declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare void @use(ptr)

define i64 @values(i64 %a, i64 %b, i32 %c, i8 %d) {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 16, i64 %a, i32 %c, i8 %d,
  i64 -1, i64 4294967296, i64 -4294967297)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 18446744073709551615, i32 16, i64 %b,
  i64 2147483647, i64 2147483648, i64 -2147483648, i64 -2147483649)
  %sum = add i64 %a, %b
  ret i64 %sum
}

define i64 @patched(i64 %a, i64 %b, ptr %p) {
  %kept = mul i64 %a, %b
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 3, i32 40, ptr null,
  i32 2, i64 %a, i64 %b, i64 %kept, ptr %p)
  %result = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 4,
  i32 40, ptr null, i32 2, i64 %a, i64 %b, i64 9223372036854775807)
  %sum = add i64 %result, %kept
  ret i64 %sum
}

define void @in_memory(i64 %a) {
  %x = alloca i64
  %y = alloca [5 x i64]
  store i64 %a, ptr %x
  call void @use(ptr %x)
  call void @use(ptr %y)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 5, i32 0, ptr %x, ptr %y, i64 %a)
  ret void
}

define void @dynamic(i64 %n) {
  %x = alloca i8, i64 %n
  call void @use(ptr %x)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 6, i32 0, ptr %x, i64 %n)
  ret void
}

define void @nothing() {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 7, i32 0)
  ret void
}
