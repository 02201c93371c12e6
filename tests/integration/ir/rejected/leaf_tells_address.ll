; rejected: the address of an object is stored as an integer
; A leaf claims to read its argument only, or to touch no memory, and gives a word that is a
; reference, or an address. The linker may choose another leaf of its name, so the optimiser knows
; no more of it. Two calls are not one, because a collection comes between.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define weak i64 @word(ptr addrspace(1) %o) memory(argmem: read) nounwind willreturn
    "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %word = load i64, ptr addrspace(1) %at
  ret i64 %word
}

define weak i64 @address(ptr addrspace(1) %o) memory(none) nounwind willreturn speculatable
    "gc-leaf-function" {
  %address = ptrtoint ptr addrspace(1) %o to i64
  ret i64 %address
}

define i64 @sum(ptr addrspace(1) %b, ptr addrspace(1) %c) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 100)
  %b.at = getelementptr i8, ptr addrspace(1) %b, i64 8
  %c.at = getelementptr i8, ptr addrspace(1) %c, i64 8
  %first = load ptr addrspace(1), ptr addrspace(1) %b.at
  %second = load ptr addrspace(1), ptr addrspace(1) %c.at
  %first.at = getelementptr i8, ptr addrspace(1) %first, i64 24
  %second.at = getelementptr i8, ptr addrspace(1) %second, i64 24
  %one = load i64, ptr addrspace(1) %first.at
  %two = load i64, ptr addrspace(1) %second.at
  %sum = add i64 %one, %two
  ret i64 %sum
}

; The word of the first object is copied into two new ones.
define i64 @copied(ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %b.at = getelementptr i8, ptr addrspace(1) %b, i64 8
  %one = call i64 @word(ptr addrspace(1) %a)
  store i64 %one, ptr addrspace(1) %b.at
  %c = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %c.at = getelementptr i8, ptr addrspace(1) %c, i64 8
  %two = call i64 @word(ptr addrspace(1) %a)
  store i64 %two, ptr addrspace(1) %c.at
  %sum = call i64 @sum(ptr addrspace(1) %b, ptr addrspace(1) %c)
  ret i64 %sum
}

; 1 if the second address is the one of then.
define i64 @told(ptr addrspace(1) %a, ptr %place) noinline gc "statepoint-example" {
  %one = call i64 @address(ptr addrspace(1) %a)
  store volatile i64 %one, ptr %place
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %garbage, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %at
  %two = call i64 @address(ptr addrspace(1) %a)
  %now = ptrtoint ptr addrspace(1) %a to i64
  %same = icmp eq i64 %two, %now
  %result = zext i1 %same to i64
  ret i64 %result
}

; 1 for each of two rounds in which the address is the one of then.
define i64 @rounds(ptr addrspace(1) %a) noinline gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %number = call i64 @address(ptr addrspace(1) %a)
  %ends = icmp eq i64 %i, 2
  br i1 %ends, label %end, label %latch

latch:
  %garbage = call ptr addrspace(1) @make(i64 1)
  %again = call i64 @address(ptr addrspace(1) %a)
  %now = ptrtoint ptr addrspace(1) %a to i64
  %same = icmp eq i64 %again, %now
  %one = zext i1 %same to i64
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  br label %loop

end:
  ret i64 %sum
}

@place = internal global i64 0

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %k = call ptr addrspace(1) @make(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %at
  %copied = call i64 @copied(ptr addrspace(1) %a)
  %told = call i64 @told(ptr addrspace(1) %a, ptr @place)
  %rounds = call i64 @rounds(ptr addrspace(1) %a)
  %one = add i64 %copied, %told
  %sum = add i64 %one, %rounds
  ret i64 %sum
}
