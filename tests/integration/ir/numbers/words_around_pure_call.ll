; run: 42 = 84
; A word is copied as a number before and after the call of a function that claims to touch no
; memory, and allocates.
@node.references = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
        { i32 32, i32 0, i32 0, i32 2, ptr @node.references, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %node = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %node, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %node
}

define internal i64 @value(ptr addrspace(1) %node) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %node, i64 24
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define internal i64 @same(i64 %n) noinline memory(none) gc "statepoint-example" {
  %node = call ptr addrspace(1) @make(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %node, i64 24
  %same = load i64, ptr addrspace(1) %at
  ret i64 %same
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %from = call ptr addrspace(1) @make(i64 1)
  %node = call ptr addrspace(1) @make(i64 %n)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  store ptr addrspace(1) %node, ptr addrspace(1) %from.at
  %to = call ptr addrspace(1) @make(i64 2)
  %before = load i64, ptr addrspace(1) %from.at
  %first.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  store i64 %before, ptr addrspace(1) %first.at
  %same = call i64 @same(i64 %n)
  %after = load i64, ptr addrspace(1) %from.at
  %second.at = getelementptr i8, ptr addrspace(1) %to, i64 16
  store i64 %after, ptr addrspace(1) %second.at
  %second = load ptr addrspace(1), ptr addrspace(1) %second.at
  %value = call i64 @value(ptr addrspace(1) %second)
  %sum = add i64 %value, %same
  ret i64 %sum
}
