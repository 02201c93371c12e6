; A global variable of this type is a root.
@kept = internal global ptr addrspace(1) null

declare ptr addrspace(1) @words(ptr)
declare i64 @length(ptr addrspace(1)) "gc-leaf-function"

; Keeps the words of a C string, and tells how many there are.
define i64 @keep(ptr %string) gc "statepoint-example" {
  %words = call ptr addrspace(1) @words(ptr %string)
  store ptr addrspace(1) %words, ptr @kept
  %count = call i64 @length(ptr addrspace(1) %words)
  ret i64 %count
}

define ptr addrspace(1) @kept_words() gc "statepoint-example" {
  %words = load ptr addrspace(1), ptr @kept
  ret ptr addrspace(1) %words
}

; Changes the first word: the compiler emits a store, and the lowering adds the barrier.
define void @set_first(ptr addrspace(1) %words, ptr addrspace(1) %text)
    gc "statepoint-example" {
  %head.at = getelementptr i8, ptr addrspace(1) %words, i64 8
  store ptr addrspace(1) %text, ptr addrspace(1) %head.at
  ret void
}
