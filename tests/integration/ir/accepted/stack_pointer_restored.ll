; The stack pointer of before an array of variable length, as clang keeps it, and one of two.
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @fill(ptr, i64)

define ptr addrspace(1) @array(i64 %length, i1 %once, ptr addrspace(1) %object)
    gc "statepoint-example" {
  %saved = alloca ptr
  %first = call ptr @llvm.stacksave.p0()
  store ptr %first, ptr %saved
  %array = alloca i64, i64 %length
  call void @fill(ptr %array, i64 %length)
  br i1 %once, label %done, label %again

again:
  %second = call ptr @llvm.stacksave.p0()
  store ptr %second, ptr %saved
  br label %done

done:
  %own = load ptr, ptr %saved
  call void @llvm.stackrestore.p0(ptr %own)
  ret ptr addrspace(1) %object
}
