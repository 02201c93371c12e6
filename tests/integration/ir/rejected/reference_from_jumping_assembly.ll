; rejected: a reference that is the result of inline assembly with labels
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %copy = callbr ptr addrspace(1) asm "mov $1, $0", "=r,r,!i"(ptr addrspace(1) %object)
      "gc-leaf-function" to label %on [label %off]
on:
  call void @collect()
  ret ptr addrspace(1) %copy
off:
  ret ptr addrspace(1) null
}
