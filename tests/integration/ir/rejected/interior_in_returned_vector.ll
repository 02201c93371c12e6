; rejected: an interior pointer is returned
define <2 x ptr addrspace(1)> @f(ptr addrspace(1) %o, <2 x ptr addrspace(1)> %v)
    gc "statepoint-example" {
  %inner = getelementptr i8, <2 x ptr addrspace(1)> %v, i64 8
  %mixed = shufflevector <2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %inner, <2 x i32> <i32 0,
  i32 3>
  ret <2 x ptr addrspace(1)> %mixed
}
