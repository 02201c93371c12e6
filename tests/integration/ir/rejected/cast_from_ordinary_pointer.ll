; rejected: a cast between a reference and an ordinary pointer
define ptr addrspace(1) @f(ptr %plain) gc "statepoint-example" {
  %object = addrspacecast ptr %plain to ptr addrspace(1)
  ret ptr addrspace(1) %object
}
