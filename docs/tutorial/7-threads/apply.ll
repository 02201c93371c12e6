declare ptr addrspace(1) @nib_parallel(ptr addrspace(1), ptr addrspace(1))
declare ptr addrspace(1) @nib_report() "gc-leaf-function"

; C calls a function of Nib with one argument.
define ptr addrspace(1) @nib_apply(ptr addrspace(1) %function, ptr addrspace(1) %argument)
    gc "statepoint-example" {
  %code = call ptr @nib.code(ptr addrspace(1) %function, i64 1)
  %value = call tailcc ptr addrspace(1) %code(ptr addrspace(1) %function,
                                              ptr addrspace(1) %argument)
  ret ptr addrspace(1) %value
}
