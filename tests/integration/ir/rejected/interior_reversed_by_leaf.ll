; rejected: an interior pointer is returned
declare <2 x ptr addrspace(1)> @llvm.vector.reverse.v2p1(<2 x ptr addrspace(1)>)

define <2 x ptr addrspace(1)> @f(<2 x ptr addrspace(1)> %both) "gc-leaf-function" {
  %at = getelementptr i8, <2 x ptr addrspace(1)> %both, i64 8
  %same = call <2 x ptr addrspace(1)> @llvm.vector.reverse.v2p1(<2 x ptr addrspace(1)> %at)
  ret <2 x ptr addrspace(1)> %same
}
