; Inline assembly that says it is a leaf.
define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  call void asm sideeffect "nop", ""() "gc-leaf-function"
  ret ptr addrspace(1) %object
}
