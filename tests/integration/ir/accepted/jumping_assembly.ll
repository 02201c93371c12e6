; Assembly that jumps may give numbers, and take references.
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %number = callbr i64 asm "mov $1, $0", "=r,r,!i"(ptr addrspace(1) %object)
      "gc-leaf-function" to label %on [label %off]
on:
  call void @collect()
  ret ptr addrspace(1) %object
off:
  ret ptr addrspace(1) null
}
