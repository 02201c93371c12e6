; rejected: a result of a statepoint that does not fit the registers
declare <16 x ptr addrspace(1)> @wide()

define ptr addrspace(1) @f() gc "statepoint-example" {
  %all = call <16 x ptr addrspace(1)> @wide()
  %one = extractelement <16 x ptr addrspace(1)> %all, i32 3
  ret ptr addrspace(1) %one
}
