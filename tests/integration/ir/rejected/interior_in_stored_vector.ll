; rejected: an interior pointer is stored
define void @f(ptr addrspace(1) %o, ptr addrspace(1) %p) gc "statepoint-example" {
  %inner = getelementptr i8, ptr addrspace(1) %o, i64 8
  %v0 = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %p, i32 0
  %v1 = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %inner, i32 1
  store <2 x ptr addrspace(1)> %v1, ptr addrspace(1) %inner, align 8
  ret void
}
