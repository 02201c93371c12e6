; rejected: the references of a vector are read as numbers, which would be stale
define <2 x i1> @f(<2 x ptr addrspace(1)> %left, <2 x ptr addrspace(1)> %right)
    gc "statepoint-example" {
  %below = icmp ult <2 x ptr addrspace(1)> %left, %right
  ret <2 x i1> %below
}
