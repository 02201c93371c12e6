; Managed code that is called before its module's constructor has run: references in frames and in a
; variable.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@cell.offsets = internal constant [1 x i32] [i32 8]
@cell = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @cell.offsets, i32 0, i32 0,
    ptr null, ptr null }
@kept = internal global ptr addrspace(1) null

declare ptr addrspace(1) @spgc_allocate(ptr)

; 1 + ... + n, each number in a cell that a frame keeps while further ones are allocated.
define i64 @early_sum(i64 %n) noinline gc "statepoint-example" {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %more

more:
  %new = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %value.at = getelementptr i8, ptr addrspace(1) %new, i64 16
  store i64 %n, ptr addrspace(1) %value.at
  %less = sub i64 %n, 1
  %rest = call i64 @early_sum(i64 %less)
  %again.at = getelementptr i8, ptr addrspace(1) %new, i64 16
  %again = load i64, ptr addrspace(1) %again.at
  %total = add i64 %rest, %again
  ret i64 %total

end:
  ret i64 0
}

define void @early_keep(i64 %value) gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %value.at = getelementptr i8, ptr addrspace(1) %new, i64 16
  store i64 %value, ptr addrspace(1) %value.at
  store ptr addrspace(1) %new, ptr @kept
  ret void
}

define i64 @early_kept() gc "statepoint-example" {
  %cell = load ptr addrspace(1), ptr @kept
  %value.at = getelementptr i8, ptr addrspace(1) %cell, i64 16
  %value = load i64, ptr addrspace(1) %value.at
  ret i64 %value
}
