; rejected: a result of a statepoint that does not fit the registers
declare fastcc [4 x ptr addrspace(1)] @wide()

define ptr addrspace(1) @f() gc "statepoint-example" {
  %all = call fastcc [4 x ptr addrspace(1)] @wide()
  %last = extractvalue [4 x ptr addrspace(1)] %all, 3
  ret ptr addrspace(1) %last
}
