; Globals of every shape become roots.
%inner = type { i64, ptr addrspace(1) }
@one = global ptr addrspace(1) null
@many = internal global [5 x ptr addrspace(1)] zeroinitializer
@mixed = global { i32, %inner, [2 x %inner], <2 x ptr addrspace(1)> } zeroinitializer
@numbers = global [4 x i64] zeroinitializer
@elsewhere = external global ptr addrspace(1)
@fixed = constant ptr addrspace(1) null

define ptr addrspace(1) @f() gc "statepoint-example" {
  %a = load ptr addrspace(1), ptr @one
  %b = load ptr addrspace(1), ptr @elsewhere
  %at = getelementptr [5 x ptr addrspace(1)], ptr @many, i64 0, i64 3
  store ptr addrspace(1) %b, ptr %at
  %mixed.at = getelementptr i8, ptr @mixed, i64 16
  store ptr addrspace(1) %a, ptr %mixed.at
  ret ptr addrspace(1) %a
}
