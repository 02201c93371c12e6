; rejected: the addresses of a vector of references
define <2 x i1> @f(<2 x ptr addrspace(1)> %left, <2 x ptr addrspace(1)> %right)
    gc "statepoint-example" {
  %below = icmp ult <2 x ptr addrspace(1)> %left, %right
  ret <2 x i1> %below
}
