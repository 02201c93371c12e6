declare ptr addrspace(1) @nib_try(ptr addrspace(1), ptr addrspace(1))

define internal ptr addrspace(1) @nib.is_pair(ptr addrspace(1) %value) alwaysinline
    gc "statepoint-example" {
  %is_pair = call i1 @nib.is(ptr addrspace(1) %value, ptr @nib_pair)
  %truth = call ptr addrspace(1) @nib.truth(i1 %is_pair)
  ret ptr addrspace(1) %truth
}

; C calls a function of Nib without arguments.
define ptr addrspace(1) @nib_call(ptr addrspace(1) %function) gc "statepoint-example" {
  %code = call ptr @nib.code(ptr addrspace(1) %function, i64 0)
  %value = call tailcc ptr addrspace(1) %code(ptr addrspace(1) %function)
  ret ptr addrspace(1) %value
}
