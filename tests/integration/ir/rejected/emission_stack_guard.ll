; rejected: LLVM has no code for this intrinsic
declare ptr @llvm.stackguard()

define ptr @guard() {
  %guard = call ptr @llvm.stackguard()
  ret ptr %guard
}
