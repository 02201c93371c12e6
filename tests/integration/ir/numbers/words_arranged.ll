; run: 7 = 9049858318458035
; Pairs of words that are references are copied into an old object: as wide integers that are
; combined and taken apart, and as vectors whose elements change places, are chosen, or lose a tag.
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

; An object whose words are references to objects with these numbers.
define internal ptr addrspace(1) @pair(i64 %a, i64 %b) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %first = call ptr addrspace(1) @make(i64 %a)
  %first.at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %first, ptr addrspace(1) %first.at
  %second = call ptr addrspace(1) @make(i64 %b)
  %second.at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store ptr addrspace(1) %second, ptr addrspace(1) %second.at
  ret ptr addrspace(1) %o
}

; The number of the object that a word refers to, or -1.
define internal i64 @number(ptr addrspace(1) %o, i64 %offset) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 %offset
  %word = load ptr addrspace(1), ptr addrspace(1) %at
  %none = icmp ult ptr addrspace(1) %word, inttoptr (i64 4096 to ptr addrspace(1))
  br i1 %none, label %no, label %yes
yes:
  %number.at = getelementptr i8, ptr addrspace(1) %word, i64 24
  %number = load i64, ptr addrspace(1) %number.at
  ret i64 %number
no:
  ret i64 -1
}

; The object copied to is old by then.
define internal i64 @try(ptr %copy, i64 %n) noinline gc "statepoint-example" {
  %to = call ptr addrspace(1) @make(i64 0)
  %older = call ptr addrspace(1) @pair(i64 1, i64 2)
  %old = call ptr addrspace(1) @pair(i64 1, i64 2)
  %second = add i64 %n, 3
  %from = call ptr addrspace(1) @pair(i64 %n, i64 %second)
  call void %copy(ptr addrspace(1) %to, ptr addrspace(1) %from)
  %garbage = call ptr addrspace(1) @make(i64 1)
  %x = call i64 @number(ptr addrspace(1) %to, i64 8)
  %y = call i64 @number(ptr addrspace(1) %to, i64 16)
  %scaled = mul i64 %x, 1000
  %sum = add i64 %scaled, %y
  ret i64 %sum
}

define internal void @combined_in_variable(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %from.second = getelementptr i8, ptr addrspace(1) %from, i64 16
  %x = load i64, ptr addrspace(1) %from.at
  %y = load i64, ptr addrspace(1) %from.second
  %words = alloca [2 x i64], align 16
  %words.second = getelementptr i8, ptr %words, i64 8
  store i64 %x, ptr %words
  store i64 %y, ptr %words.second
  %w = load i128, ptr %words, align 8
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @combined(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %from.second = getelementptr i8, ptr addrspace(1) %from, i64 16
  %x = load i64, ptr addrspace(1) %from.at
  %y = load i64, ptr addrspace(1) %from.second
  %low = zext i64 %x to i128
  %wide = zext i64 %y to i128
  %high = shl i128 %wide, 64
  %w = or i128 %low, %high
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @added(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %from.second = getelementptr i8, ptr addrspace(1) %from, i64 16
  %x = load i64, ptr addrspace(1) %from.at
  %y = load i64, ptr addrspace(1) %from.second
  %low = zext i64 %x to i128
  %wide = zext i64 %y to i128
  %high = shl i128 %wide, 64
  %w = add i128 %high, %low
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @replaced(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load i128, ptr addrspace(1) %from.at, align 8
  %next = lshr i128 %v, 64
  %rest = and i128 %v, -18446744073709551616
  %w = or i128 %rest, %next
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @taken_apart(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load i128, ptr addrspace(1) %from.at, align 8
  %high = lshr i128 %v, 64
  %p = trunc i128 %high to i64
  %q = trunc i128 %high to i64
  %to.second = getelementptr i8, ptr addrspace(1) %to, i64 16
  store i64 %p, ptr addrspace(1) %to.at
  store i64 %q, ptr addrspace(1) %to.second
  ret void
}

define internal void @taken_by_bytes(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load i128, ptr addrspace(1) %from.at, align 8
  %part = lshr i128 %v, 24
  %high = ashr i128 %part, 40
  %p = trunc i128 %high to i64
  %q = trunc i128 %v to i64
  %to.second = getelementptr i8, ptr addrspace(1) %to, i64 16
  store i64 %p, ptr addrspace(1) %to.at
  store i64 %q, ptr addrspace(1) %to.second
  ret void
}

define internal void @exchanged(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %x = bitcast <2 x i64> %v to i128
  %high = lshr i128 %x, 64
  %low = shl i128 %x, 64
  %both = or i128 %high, %low
  %w = bitcast i128 %both to <2 x i64>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare i128 @llvm.fshl.i128(i128, i128, i128)

define internal void @funnelled(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load i128, ptr addrspace(1) %from.at, align 8
  %w = call i128 @llvm.fshl.i128(i128 %v, i128 %v, i128 64)
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @untagged(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %tagged = or <2 x i64> %v, <i64 1, i64 2>
  %w = and <2 x i64> %tagged, <i64 -8, i64 -8>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @untagged_halves(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %halves = bitcast <2 x i64> %v to <4 x i32>
  %masked = and <4 x i32> %halves, <i32 -8, i32 -1, i32 -8, i32 -1>
  %w = bitcast <4 x i32> %masked to <2 x i64>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @untagged_wide(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load i128, ptr addrspace(1) %from.at, align 8
  %tagged = or i128 %v, 18446744073709551617
  %w = xor i128 %tagged, 18446744073709551617
  store i128 %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @untagged_from_the_left(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %from.second = getelementptr i8, ptr addrspace(1) %from, i64 16
  %x = load i64, ptr addrspace(1) %from.at
  %y = load i64, ptr addrspace(1) %from.second
  %p = and i64 -8, %x
  %q = add i64 0, %y
  %to.second = getelementptr i8, ptr addrspace(1) %to, i64 16
  store i64 %p, ptr addrspace(1) %to.at
  store i64 %q, ptr addrspace(1) %to.second
  ret void
}

define internal void @one_computed(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %high = and <2 x i64> %v, <i64 -1, i64 15>
  %w = or <2 x i64> %high, <i64 0, i64 1>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @one_scaled(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %w = mul <2 x i64> %v, <i64 1, i64 0>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @one_added(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %bits = and i64 1, 1
  %number = insertelement <2 x i64> <i64 0, i64 poison>, i64 %bits, i64 1
  %cleared = and <2 x i64> %v, <i64 -1, i64 0>
  %w = add <2 x i64> %cleared, %number
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define internal void @chosen_by_mask(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %from.second = getelementptr i8, ptr addrspace(1) %from, i64 16
  %x = load i64, ptr addrspace(1) %from.at
  %y = load i64, ptr addrspace(1) %from.second
  %some = icmp ne i64 %x, 0
  %mask = sext i1 %some to i64
  %inverse = xor i64 %mask, -1
  %a = and i64 %x, %mask
  %b = and i64 %y, %inverse
  %p = or i64 %a, %b
  %bit = zext i1 %some to i64
  %all = sub i64 0, %bit
  %q = and i64 %all, %y
  %to.second = getelementptr i8, ptr addrspace(1) %to, i64 16
  store i64 %p, ptr addrspace(1) %to.at
  store i64 %q, ptr addrspace(1) %to.second
  ret void
}

define internal void @blended(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %other = shufflevector <2 x i64> %v, <2 x i64> poison, <2 x i32> <i32 1, i32 0>
  %more = icmp ne <2 x i64> %v, zeroinitializer
  %mask = sext <2 x i1> %more to <2 x i64>
  %inverse = xor <2 x i64> %mask, <i64 -1, i64 -1>
  %a = and <2 x i64> %other, %mask
  %b = and <2 x i64> %v, %inverse
  %w = or <2 x i64> %a, %b
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x i64> @llvm.vector.reverse.v2i64(<2 x i64>)

define internal void @reversed(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %w = call <2 x i64> @llvm.vector.reverse.v2i64(<2 x i64> %v)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x i64> @llvm.vector.splice.v2i64(<2 x i64>, <2 x i64>, i32)

define internal void @spliced(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %w = call <2 x i64> @llvm.vector.splice.v2i64(<2 x i64> %v, <2 x i64> %v, i32 1)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare { <1 x i64>, <1 x i64> } @llvm.vector.deinterleave2.v2i64(<2 x i64>)
declare <2 x i64> @llvm.vector.interleave2.v2i64(<1 x i64>, <1 x i64>)

define internal void @interleaved(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %parts = call { <1 x i64>, <1 x i64> } @llvm.vector.deinterleave2.v2i64(<2 x i64> %v)
  %a = extractvalue { <1 x i64>, <1 x i64> } %parts, 0
  %b = extractvalue { <1 x i64>, <1 x i64> } %parts, 1
  %w = call <2 x i64> @llvm.vector.interleave2.v2i64(<1 x i64> %b, <1 x i64> %a)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <4 x i64> @llvm.vector.insert.v4i64.v2i64(<4 x i64>, <2 x i64>, i64)
declare <2 x i64> @llvm.vector.extract.v2i64.v4i64(<4 x i64>, i64)

define internal void @inserted(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %four = call <4 x i64> @llvm.vector.insert.v4i64.v2i64(<4 x i64> zeroinitializer,
      <2 x i64> %v, i64 2)
  %w = call <2 x i64> @llvm.vector.extract.v2i64.v4i64(<4 x i64> %four, i64 2)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x double> @llvm.arithmetic.fence.v2f64(<2 x double>)

define internal void @fenced(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %reals = bitcast <2 x i64> %v to <2 x double>
  %fenced = call <2 x double> @llvm.arithmetic.fence.v2f64(<2 x double> %reals)
  %w = bitcast <2 x double> %fenced to <2 x i64>
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x i64> @llvm.smax.v2i64(<2 x i64>, <2 x i64>)
declare i64 @llvm.abs.i64(i64, i1)

define internal void @greater(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %word = extractelement <2 x i64> %v, i32 0
  %positive = call i64 @llvm.abs.i64(i64 %word, i1 false)
  %parts = insertelement <2 x i64> %v, i64 %positive, i32 0
  %w = call <2 x i64> @llvm.smax.v2i64(<2 x i64> %parts, <2 x i64> <i64 -1, i64 0>)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x double> @llvm.fabs.v2f64(<2 x double>)

define internal void @negated_twice(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x double>, ptr addrspace(1) %from.at, align 8
  %negative = fneg <2 x double> %v
  %w = call <2 x double> @llvm.fabs.v2f64(<2 x double> %negative)
  store <2 x double> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x i64> @llvm.masked.load.v2i64.p0(ptr, i32, <2 x i1>, <2 x i64>)

define internal void @beside_mask(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %number = alloca [2 x i64], align 16
  store <2 x i64> <i64 1, i64 1>, ptr %number, align 8
  %w = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr %number, i32 8, <2 x i1> <i1 false, i1 true>,
      <2 x i64> %v)
  store <2 x i64> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, i32, <2 x i1>, <2 x double>)

define internal void @as_reals_behind_mask(ptr addrspace(1) %to,
    ptr addrspace(1) %from) noinline gc "statepoint-example" {
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 8
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 8
  %v = load <2 x i64>, ptr addrspace(1) %from.at, align 8
  %words = alloca [2 x i64], align 16
  store <2 x i64> %v, ptr %words, align 8
  %w = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %words, i32 8, <2 x i1> <i1 true, i1 true>,
      <2 x double> zeroinitializer)
  store <2 x double> %w, ptr addrspace(1) %to.at, align 8
  ret void
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %r0 = call i64 @try(ptr @combined_in_variable, i64 %n)
  %s0 = mul i64 %r0, 1
  %r1 = call i64 @try(ptr @combined, i64 %n)
  %t1 = mul i64 %s0, 3
  %s1 = add i64 %t1, %r1
  %r2 = call i64 @try(ptr @added, i64 %n)
  %t2 = mul i64 %s1, 3
  %s2 = add i64 %t2, %r2
  %r3 = call i64 @try(ptr @replaced, i64 %n)
  %t3 = mul i64 %s2, 3
  %s3 = add i64 %t3, %r3
  %r4 = call i64 @try(ptr @taken_apart, i64 %n)
  %t4 = mul i64 %s3, 3
  %s4 = add i64 %t4, %r4
  %r5 = call i64 @try(ptr @taken_by_bytes, i64 %n)
  %t5 = mul i64 %s4, 3
  %s5 = add i64 %t5, %r5
  %r6 = call i64 @try(ptr @exchanged, i64 %n)
  %t6 = mul i64 %s5, 3
  %s6 = add i64 %t6, %r6
  %r7 = call i64 @try(ptr @funnelled, i64 %n)
  %t7 = mul i64 %s6, 3
  %s7 = add i64 %t7, %r7
  %r8 = call i64 @try(ptr @untagged, i64 %n)
  %t8 = mul i64 %s7, 3
  %s8 = add i64 %t8, %r8
  %r9 = call i64 @try(ptr @untagged_halves, i64 %n)
  %t9 = mul i64 %s8, 3
  %s9 = add i64 %t9, %r9
  %r10 = call i64 @try(ptr @untagged_wide, i64 %n)
  %t10 = mul i64 %s9, 3
  %s10 = add i64 %t10, %r10
  %r11 = call i64 @try(ptr @untagged_from_the_left, i64 %n)
  %t11 = mul i64 %s10, 3
  %s11 = add i64 %t11, %r11
  %r12 = call i64 @try(ptr @one_computed, i64 %n)
  %t12 = mul i64 %s11, 3
  %s12 = add i64 %t12, %r12
  %r13 = call i64 @try(ptr @one_scaled, i64 %n)
  %t13 = mul i64 %s12, 3
  %s13 = add i64 %t13, %r13
  %r14 = call i64 @try(ptr @one_added, i64 %n)
  %t14 = mul i64 %s13, 3
  %s14 = add i64 %t14, %r14
  %r15 = call i64 @try(ptr @chosen_by_mask, i64 %n)
  %t15 = mul i64 %s14, 3
  %s15 = add i64 %t15, %r15
  %r16 = call i64 @try(ptr @blended, i64 %n)
  %t16 = mul i64 %s15, 3
  %s16 = add i64 %t16, %r16
  %r17 = call i64 @try(ptr @reversed, i64 %n)
  %t17 = mul i64 %s16, 3
  %s17 = add i64 %t17, %r17
  %r18 = call i64 @try(ptr @spliced, i64 %n)
  %t18 = mul i64 %s17, 3
  %s18 = add i64 %t18, %r18
  %r19 = call i64 @try(ptr @interleaved, i64 %n)
  %t19 = mul i64 %s18, 3
  %s19 = add i64 %t19, %r19
  %r20 = call i64 @try(ptr @inserted, i64 %n)
  %t20 = mul i64 %s19, 3
  %s20 = add i64 %t20, %r20
  %r21 = call i64 @try(ptr @fenced, i64 %n)
  %t21 = mul i64 %s20, 3
  %s21 = add i64 %t21, %r21
  %r22 = call i64 @try(ptr @greater, i64 %n)
  %t22 = mul i64 %s21, 3
  %s22 = add i64 %t22, %r22
  %r23 = call i64 @try(ptr @negated_twice, i64 %n)
  %t23 = mul i64 %s22, 3
  %s23 = add i64 %t23, %r23
  %r24 = call i64 @try(ptr @beside_mask, i64 %n)
  %t24 = mul i64 %s23, 3
  %s24 = add i64 %t24, %r24
  %r25 = call i64 @try(ptr @as_reals_behind_mask, i64 %n)
  %t25 = mul i64 %s24, 3
  %s25 = add i64 %t25, %r25
  ret i64 %s25
}
