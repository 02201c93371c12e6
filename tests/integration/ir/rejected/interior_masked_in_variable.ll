; rejected: interior pointer is stored in a local variable
; A masked store keeps the variable in memory. So the leaf gives back what a word of its caller
; counts as the address of an object.
define ptr addrspace(1) @leaf(ptr addrspace(1) %object, i1 %wanted) noinline "gc-leaf-function" {
  %mask = insertelement <1 x i1> poison, i1 %wanted, i32 0
  %kept = alloca ptr addrspace(1)
  store ptr addrspace(1) %object, ptr %kept
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  %lane = insertelement <1 x ptr addrspace(1)> poison, ptr addrspace(1) %field, i32 0
  call void @llvm.masked.store.v1p1.p0(<1 x ptr addrspace(1)> %lane, ptr %kept, i32 8,
    <1 x i1> %mask)
  %given = load ptr addrspace(1), ptr %kept
  ret ptr addrspace(1) %given
}

declare void @collect()
declare void @llvm.masked.store.v1p1.p0(<1 x ptr addrspace(1)>, ptr, i32, <1 x i1>)

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %given = call ptr addrspace(1) @leaf(ptr addrspace(1) %object, i1 true)
  call void @collect()
  ret ptr addrspace(1) %given
}
