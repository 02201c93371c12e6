; A leaf may be given an interior pointer.
declare void @touch(ptr addrspace(1)) "gc-leaf-function"

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  call void @touch(ptr addrspace(1) %field)
  ret void
}
