; rejected: an interior pointer is returned
declare ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1))

define ptr addrspace(1) @f(ptr addrspace(1) %o) "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %same = call ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1) %at)
  ret ptr addrspace(1) %same
}
