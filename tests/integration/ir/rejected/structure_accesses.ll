; rejected: a word that is declared as a reference is read or written as a number
; Structures and arrays of numbers, or of numbers and references, that are loaded from objects and
; stored in local variables of references, live there across safepoints, and come back into objects.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }
@either = internal global [2 x ptr addrspace(1)] zeroinitializer

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define void @collect() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret void
}

; An object with two others.
define ptr addrspace(1) @family(i64 %a, i64 %b) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %x = call ptr addrspace(1) @make(i64 %a)
  %x.at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %x, ptr addrspace(1) %x.at
  %y = call ptr addrspace(1) @make(i64 %b)
  %y.at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store ptr addrspace(1) %y, ptr addrspace(1) %y.at
  ret ptr addrspace(1) %o
}

; The first of the two, ten times, and the second.
define i64 @read(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  call void @collect()
  %x.at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %y.at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %x = load ptr addrspace(1), ptr addrspace(1) %x.at
  %y = load ptr addrspace(1), ptr addrspace(1) %y.at
  %a.at = getelementptr i8, ptr addrspace(1) %x, i64 24
  %b.at = getelementptr i8, ptr addrspace(1) %y, i64 24
  %a = load i64, ptr addrspace(1) %a.at
  %b = load i64, ptr addrspace(1) %b.at
  %ten = mul i64 %a, 10
  %sum = add i64 %ten, %b
  ret i64 %sum
}

define void @look(ptr %variable) noinline gc "statepoint-example" {
  %word = load ptr addrspace(1), ptr %variable
  call void @collect()
  ret void
}

; 12
define i64 @integers() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 1, i64 2)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { i64, i64 }, ptr addrspace(1) %from.at, align 8
  store { i64, i64 } %in, ptr %variable, align 8
  call void @collect()
  %out = load { i64, i64 }, ptr %variable, align 8
  store { i64, i64 } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 23
define i64 @array() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 2, i64 3)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load [2 x i64], ptr addrspace(1) %from.at, align 8
  store [2 x i64] %in, ptr %variable, align 8
  call void @collect()
  %out = load [2 x i64], ptr %variable, align 8
  store [2 x i64] %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 34
define i64 @packed() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 3, i64 4)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load <{ i64, ptr }>, ptr addrspace(1) %from.at, align 8
  store <{ i64, ptr }> %in, ptr %variable, align 8
  call void @collect()
  %out = load <{ i64, ptr }>, ptr %variable, align 8
  store <{ i64, ptr }> %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 45
define i64 @doubles() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 4, i64 5)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { double, double }, ptr addrspace(1) %from.at, align 8
  store { double, double } %in, ptr %variable, align 8
  call void @collect()
  %out = load { double, double }, ptr %variable, align 8
  store { double, double } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 56
define i64 @pointers() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 5, i64 6)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load [2 x ptr], ptr addrspace(1) %from.at, align 8
  store [2 x ptr] %in, ptr %variable, align 8
  call void @collect()
  %out = load [2 x ptr], ptr %variable, align 8
  store [2 x ptr] %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 67
define i64 @nested() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 6, i64 7)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { { i64 }, [1 x <1 x i64>] }, ptr addrspace(1) %from.at, align 8
  store { { i64 }, [1 x <1 x i64>] } %in, ptr %variable, align 8
  call void @collect()
  %out = load { { i64 }, [1 x <1 x i64>] }, ptr %variable, align 8
  store { { i64 }, [1 x <1 x i64>] } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 78
define i64 @second() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 7, i64 8)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from.at, align 8
  store { i64, ptr addrspace(1) } %in, ptr %variable, align 8
  call void @collect()
  %out = load { i64, ptr addrspace(1) }, ptr %variable, align 8
  store { i64, ptr addrspace(1) } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 89
define i64 @first() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 8, i64 9)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { ptr addrspace(1), double }, ptr addrspace(1) %from.at, align 8
  store { ptr addrspace(1), double } %in, ptr %variable, align 8
  call void @collect()
  %out = load { ptr addrspace(1), double }, ptr %variable, align 8
  store { ptr addrspace(1), double } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 100
define i64 @escaping() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 9, i64 10)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { i64, i64 }, ptr addrspace(1) %from.at, align 8
  store { i64, i64 } %in, ptr %variable, align 8
  call void @look(ptr %variable)
  call void @collect()
  %out = load { i64, i64 }, ptr %variable, align 8
  store { i64, i64 } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 111
define i64 @mixed_escaping() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 10, i64 11)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from.at, align 8
  store { i64, ptr addrspace(1) } %in, ptr %variable, align 8
  call void @look(ptr %variable)
  call void @collect()
  %out = load { i64, ptr addrspace(1) }, ptr %variable, align 8
  store { i64, ptr addrspace(1) } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 122
define i64 @volatile_ones() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 11, i64 12)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { i64, double }, ptr addrspace(1) %from.at, align 8
  store volatile { i64, double } %in, ptr %variable, align 8
  call void @collect()
  %out = load volatile { i64, double }, ptr %variable, align 8
  store { i64, double } %out, ptr addrspace(1) %to.at, align 8
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 2 * 133: loaded on either side of a safepoint.
define i64 @twice() noinline gc "statepoint-example" {
  %from = call ptr addrspace(1) @family(i64 12, i64 13)
  %to = call ptr addrspace(1) @make(i64 0)
  %more = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %more.at = getelementptr i8, ptr addrspace(1) %more, i64 8
  %in = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from.at
  store { i64, ptr addrspace(1) } %in, ptr addrspace(1) %to.at
  call void @collect()
  %again = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from.at
  store { i64, ptr addrspace(1) } %again, ptr addrspace(1) %more.at
  %x = call i64 @read(ptr addrspace(1) %to)
  %y = call i64 @read(ptr addrspace(1) %more)
  %sum = add i64 %x, %y
  ret i64 %sum
}

; 144: over a global variable.
define i64 @over_global() noinline gc "statepoint-example" {
  %from = call ptr addrspace(1) @family(i64 13, i64 14)
  %to = call ptr addrspace(1) @make(i64 0)
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %in = load { ptr addrspace(1), i64 }, ptr addrspace(1) %from.at
  store { ptr addrspace(1), i64 } %in, ptr @either
  call void @collect()
  %out = load { ptr addrspace(1), i64 }, ptr @either
  store { ptr addrspace(1), i64 } %out, ptr addrspace(1) %to.at
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

define internal void @fill(ptr %place, ptr addrspace(1) %from) gc "statepoint-example" {
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %in = load { i64, i64 }, ptr addrspace(1) %from.at
  store { i64, i64 } %in, ptr %place
  ret void
}

; 155: another function fills the variable, and may be inlined.
define i64 @filled() noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %from = call ptr addrspace(1) @family(i64 14, i64 15)
  %to = call ptr addrspace(1) @make(i64 0)
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  call void @fill(ptr %variable, ptr addrspace(1) %from)
  call void @collect()
  %out = load { i64, i64 }, ptr %variable
  store { i64, i64 } %out, ptr addrspace(1) %to.at
  %sum = call i64 @read(ptr addrspace(1) %to)
  ret i64 %sum
}

; 7 + 2 * 9: parts of a word are read, and a number comes back.
define i64 @of_numbers(i64 %seven) noinline gc "statepoint-example" {
  %variable = alloca [2 x ptr addrspace(1)]
  %odd = mul i64 %seven, 4294967297
  %first = insertvalue { i64, i64 } poison, i64 %odd, 0
  %both = insertvalue { i64, i64 } %first, i64 9, 1
  store { i64, i64 } %both, ptr %variable
  call void @collect()
  %all = load { i32, i32, [1 x i64] }, ptr %variable
  %low = extractvalue { i32, i32, [1 x i64] } %all, 0
  %high = extractvalue { i32, i32, [1 x i64] } %all, 1
  %nine = extractvalue { i32, i32, [1 x i64] } %all, 2, 0
  %same = icmp eq i32 %low, %high
  %x = select i1 %same, i32 %low, i32 0
  %seven.again = zext i32 %x to i64
  %twice = mul i64 %nine, 2
  %sum = add i64 %twice, %seven.again
  ret i64 %sum
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %integers = call i64 @integers()
  %s0 = add i64 %total, %integers
  %array = call i64 @array()
  %s1 = add i64 %s0, %array
  %packed = call i64 @packed()
  %s2 = add i64 %s1, %packed
  %doubles = call i64 @doubles()
  %s3 = add i64 %s2, %doubles
  %pointers = call i64 @pointers()
  %s4 = add i64 %s3, %pointers
  %nested = call i64 @nested()
  %s5 = add i64 %s4, %nested
  %second = call i64 @second()
  %s6 = add i64 %s5, %second
  %first = call i64 @first()
  %s7 = add i64 %s6, %first
  %escaping = call i64 @escaping()
  %s8 = add i64 %s7, %escaping
  %mixed_escaping = call i64 @mixed_escaping()
  %s9 = add i64 %s8, %mixed_escaping
  %volatile_ones = call i64 @volatile_ones()
  %s10 = add i64 %s9, %volatile_ones
  %twice = call i64 @twice()
  %s11 = add i64 %s10, %twice
  %over_global = call i64 @over_global()
  %s12 = add i64 %s11, %over_global
  %filled = call i64 @filled()
  %s13 = add i64 %s12, %filled
  %numbers = call i64 @of_numbers(i64 7)
  %sum = add i64 %s13, %numbers
  %next = add i64 %i, 1
  %done = icmp ugt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
