; rejected: scalable vectors are not supported
define void @f(ptr %p) gc "statepoint-example" {
  %v = load <vscale x 2 x ptr addrspace(1)>, ptr %p
  ret void
}
