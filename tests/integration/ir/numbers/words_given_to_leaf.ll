; run: 7 = 14
; A word that is a reference is found to be none of the tagged numbers before an allocation, and
; behind it given to a leaf that nobody knows.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

; An object with a word that is a reference.
define internal ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %k = call ptr addrspace(1) @make(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %at
  ret ptr addrspace(1) %a
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @box(i64 %n)
  %r = call i64 @copies(ptr addrspace(1) %a)
  ret i64 %r
}

define internal i64 @sum(ptr addrspace(1) %b,
    ptr addrspace(1) %c) noinline gc "statepoint-example" {
  %b.word = getelementptr i8, ptr addrspace(1) %b, i64 8
  %c.word = getelementptr i8, ptr addrspace(1) %c, i64 8
  %garbage = call ptr addrspace(1) @make(i64 100)
  %first = load ptr addrspace(1), ptr addrspace(1) %b.word
  %first.number = getelementptr i8, ptr addrspace(1) %first, i64 24
  %x = load i64, ptr addrspace(1) %first.number
  %second = load ptr addrspace(1), ptr addrspace(1) %c.word
  %second.number = getelementptr i8, ptr addrspace(1) %second, i64 24
  %y = load i64, ptr addrspace(1) %second.number
  %r = add i64 %x, %y
  ret i64 %r
}

define internal void @set_word(ptr addrspace(1) %o, i64 %word) "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %word, ptr addrspace(1) %at
  ret void
}

@table = global [1 x ptr] [ptr @set_word]

define internal i64 @copies(ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %a.word = getelementptr i8, ptr addrspace(1) %a, i64 8
  %before = load i64, ptr addrspace(1) %a.word
  %tag = and i64 %before, 1
  %untagged = icmp eq i64 %tag, 0
  br i1 %untagged, label %reference, label %number
number:
  ret i64 -1
reference:
  %c = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %word = load i64, ptr addrspace(1) %a.word
  %setter = load ptr, ptr @table
  call void %setter(ptr addrspace(1) %c, i64 %word) "gc-leaf-function"
  %r = call i64 @sum(ptr addrspace(1) %c, ptr addrspace(1) %c)
  ret i64 %r
}
