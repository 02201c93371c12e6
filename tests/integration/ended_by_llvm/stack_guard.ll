; LLVM 19: crashed
declare ptr @llvm.stackguard()

define ptr @guard() {
  %guard = call ptr @llvm.stackguard()
  ret ptr %guard
}
