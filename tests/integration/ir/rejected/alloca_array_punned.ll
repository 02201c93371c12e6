; rejected: a local variable holds a reference at a place that its type does not show
%union.word = type { i64 }
%row = type { [3 x %union.word], i64 }

declare void @unknown()

define ptr addrspace(1) @f(i64 %bits, i64 %i) gc "statepoint-example" {
  %row = alloca %row
  %number = getelementptr [3 x %union.word], ptr %row, i64 0, i64 %i
  store i64 %bits, ptr %number
  call void @unknown()
  %reference = getelementptr [3 x %union.word], ptr %row, i64 0, i64 1
  %value = load ptr addrspace(1), ptr %reference
  ret ptr addrspace(1) %value
}
