; One of two modules that define the same functions (shared_second.ll is the other). The linker
; keeps one of each: which records describe what runs must not depend on which that is.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

$inline_list = comdat any
$inline_scale = comdat any

@node.offsets = internal constant [1 x i32] [i32 8]
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }
@inline_scale.one = internal constant i64 1, comdat($inline_scale)
@shared_root = linkonce_odr global ptr addrspace(1) null

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i64 @second_run(i64)
declare ptr @second_list()

; As C++ compiles an inline function. Every module has it, with code of its own.
define linkonce_odr ptr addrspace(1) @inline_list(i64 %n) noinline comdat gc "statepoint-example" {
entry:
  %end = icmp eq i64 %n, 0
  br i1 %end, label %last, label %more

last:
  ret ptr addrspace(1) null

more:
  %node.new = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %less = sub i64 %n, 1
  %rest = call ptr addrspace(1) @inline_list(i64 %less)
  %link = getelementptr i8, ptr addrspace(1) %node.new, i64 8
  store ptr addrspace(1) %rest, ptr addrspace(1) %link
  %value = getelementptr i8, ptr addrspace(1) %node.new, i64 16
  store i64 %n, ptr addrspace(1) %value
  ret ptr addrspace(1) %node.new
}

; Refers to a constant of its own comdat that no other module can name.
define linkonce_odr i64 @inline_scale(ptr addrspace(1) %list) noinline comdat
    gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @node)
  store ptr addrspace(1) %garbage, ptr @shared_root
  %value = getelementptr i8, ptr addrspace(1) %list, i64 16
  %n = load i64, ptr addrspace(1) %value
  %one = load volatile i64, ptr @inline_scale.one
  %r = mul i64 %n, %one
  ret i64 %r
}

; Overridden by the other module's.
define weak i64 @weight(ptr addrspace(1) %list) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @inline_list(i64 2)
  %value = getelementptr i8, ptr addrspace(1) %list, i64 16
  %n = load i64, ptr addrspace(1) %value
  %wrong = mul i64 %n, 1000
  ret i64 %wrong
}

define internal i64 @sum(ptr addrspace(1) %list) noinline gc "statepoint-example" {
entry:
  %end = icmp eq ptr addrspace(1) %list, null
  br i1 %end, label %last, label %more

last:
  ret i64 0

more:
  %weighed = call i64 @weight(ptr addrspace(1) %list)
  %scaled = call i64 @inline_scale(ptr addrspace(1) %list)
  %link = getelementptr i8, ptr addrspace(1) %list, i64 8
  %rest = load ptr addrspace(1), ptr addrspace(1) %link
  %tail = call i64 @sum(ptr addrspace(1) %rest)
  %value = getelementptr i8, ptr addrspace(1) %list, i64 16
  %n = load i64, ptr addrspace(1) %value
  %difference = sub i64 %weighed, %scaled
  %own = add i64 %difference, %n
  %total = add i64 %tail, %own
  ret i64 %total
}

; The numbers 1 to n, by each of the modules; and one more if a function has two addresses.
define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %list = call ptr addrspace(1) @inline_list(i64 %n)
  %first = call i64 @sum(ptr addrspace(1) %list)
  %second = call i64 @second_run(i64 %n)
  %total = add i64 %first, %second
  %other = call ptr @second_list()
  %two = icmp ne ptr %other, @inline_list
  %more = zext i1 %two to i64
  %result = add i64 %total, %more
  ret i64 %result
}
