; rejected: the address of an object is stored as an integer
; References that are stored as integers, in every way that LLVM or clang may store them, into an
; old object.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @llvm.masked.store.v2i64.p1(<2 x i64>, ptr addrspace(1), i32, <2 x i1>)
declare void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare i64 @llvm.fshl.i64(i64, i64, i64)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

; The numbers of what both fields refer to, and the fields are null again.
define i64 @values(ptr addrspace(1) %holder) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %more = call ptr addrspace(1) @make(i64 -1)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %o0 = load ptr addrspace(1), ptr addrspace(1) %f0
  %o1 = load ptr addrspace(1), ptr addrspace(1) %f1
  %a0 = getelementptr i8, ptr addrspace(1) %o0, i64 24
  %a1 = getelementptr i8, ptr addrspace(1) %o1, i64 24
  %v0 = load i64, ptr addrspace(1) %a0
  %v1 = load i64, ptr addrspace(1) %a1
  %ten = mul i64 %v1, 10
  %sum = add i64 %v0, %ten
  store ptr addrspace(1) null, ptr addrspace(1) %f0
  store ptr addrspace(1) null, ptr addrspace(1) %f1
  ret i64 %sum
}

define void @set(ptr addrspace(1) %field, i64 %word) noinline "gc-leaf-function" {
  store i64 %word, ptr addrspace(1) %field
  ret void
}

define i64 @address(ptr addrspace(1) %o) noinline "gc-leaf-function" {
  %word = ptrtoint ptr addrspace(1) %o to i64
  ret i64 %word
}

define i64 @stored(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  store i64 %wa, ptr addrspace(1) %f0
  store i64 %wb, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @as_double(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %da = bitcast i64 %wa to double
  store double %da, ptr addrspace(1) %f0
  %db = bitcast i64 %wb to double
  store double %db, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @as_pointer(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %pa = inttoptr i64 %wa to ptr
  store ptr %pa, ptr addrspace(1) %f0
  store volatile i64 %wb, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @compared(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %x = cmpxchg ptr addrspace(1) %f0, i64 0, i64 %wa seq_cst seq_cst
  %y = atomicrmw xchg ptr addrspace(1) %f1, i64 %wb seq_cst
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @added(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %x = atomicrmw or ptr addrspace(1) %f0, i64 %wa seq_cst
  %y = atomicrmw add ptr addrspace(1) %f1, i64 %wb seq_cst
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @in_vector(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %v0 = insertelement <2 x i64> poison, i64 %wa, i32 0
  %v1 = insertelement <2 x i64> %v0, i64 %wb, i32 1
  store <2 x i64> %v1, ptr addrspace(1) %f0, align 8
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @masked(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %v0 = insertelement <2 x i64> poison, i64 %wa, i32 0
  %v1 = insertelement <2 x i64> %v0, i64 %wb, i32 1
  call void @llvm.masked.store.v2i64.p1(<2 x i64> %v1, ptr addrspace(1) %f0, i32 8, <2 x i1> <i1 1,
  i1 1>)
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @wide(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %ea = zext i64 %wa to i128
  %eb = zext i64 %wb to i128
  %sb = shl i128 %eb, 64
  %both = or i128 %ea, %sb
  store i128 %both, ptr addrspace(1) %f0, align 8
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @structure(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %s0 = insertvalue { i64, i64 } poison, i64 %wa, 0
  %s1 = insertvalue { i64, i64 } %s0, i64 %wb, 1
  store { i64, i64 } %s1, ptr addrspace(1) %f0
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @passed(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  call void @set(ptr addrspace(1) %f0, i64 %wa)
  call void @set(ptr addrspace(1) %f1, i64 %wb)
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @returned(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %ra = call i64 @address(ptr addrspace(1) %a)
  store i64 %ra, ptr addrspace(1) %f0
  %rb = call i64 @address(ptr addrspace(1) %b)
  store i64 %rb, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @rotated(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %ra = call i64 @llvm.fshl.i64(i64 %wa, i64 %wa, i64 %zero)
  store i64 %ra, ptr addrspace(1) %f0
  %tagged = or i64 %wb, 1
  %plain = xor i64 %tagged, 1
  store i64 %plain, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @copied_words(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %other = call ptr addrspace(1) @pair(ptr addrspace(1) %a, ptr addrspace(1) %b)
  %g0 = getelementptr i8, ptr addrspace(1) %other, i64 8
  %g1 = getelementptr i8, ptr addrspace(1) %other, i64 16
  %ca = load i64, ptr addrspace(1) %g0
  %cb = load double, ptr addrspace(1) %g1
  store i64 %ca, ptr addrspace(1) %f0
  store double %cb, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @copied_vector(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %other = call ptr addrspace(1) @pair(ptr addrspace(1) %a, ptr addrspace(1) %b)
  %g0 = getelementptr i8, ptr addrspace(1) %other, i64 8
  %c = load <2 x i64>, ptr addrspace(1) %g0, align 8
  store <2 x i64> %c, ptr addrspace(1) %f0, align 8
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @copied_inline(ptr addrspace(1) %holder, i1 %odd,
    i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %other = call ptr addrspace(1) @pair(ptr addrspace(1) %a, ptr addrspace(1) %b)
  %g0 = getelementptr i8, ptr addrspace(1) %other, i64 8
  call void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1) %f0, ptr addrspace(1) %g0, i64 16,
  i1 false)
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define i64 @chosen(ptr addrspace(1) %holder, i1 %odd, i64 %zero) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %f0 = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %wa = ptrtoint ptr addrspace(1) %a to i64
  %wb = ptrtoint ptr addrspace(1) %b to i64
  %t = select i1 %odd, i64 %wa, i64 %wb
  %u = select i1 %odd, i64 %wb, i64 %wa
  %ca = select i1 %odd, i64 %t, i64 %u
  %cb = select i1 %odd, i64 %u, i64 %t
  store i64 %ca, ptr addrspace(1) %f0
  store i64 %cb, ptr addrspace(1) %f1
  %sum = call i64 @values(ptr addrspace(1) %holder)
  ret i64 %sum
}

define ptr addrspace(1) @pair(ptr addrspace(1) %a, ptr addrspace(1) %b) noinline
    gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %f0 = getelementptr i8, ptr addrspace(1) %o, i64 8
  %f1 = getelementptr i8, ptr addrspace(1) %o, i64 16
  store ptr addrspace(1) %a, ptr addrspace(1) %f0
  store ptr addrspace(1) %b, ptr addrspace(1) %f1
  ret ptr addrspace(1) %o
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  %holder = call ptr addrspace(1) @make(i64 7)
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %odd = trunc i64 %i to i1
  %zero = lshr i64 %i, 40
  %x0 = call i64 @stored(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s0 = add i64 %total, %x0
  %x1 = call i64 @as_double(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s1 = add i64 %s0, %x1
  %x2 = call i64 @as_pointer(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s2 = add i64 %s1, %x2
  %x3 = call i64 @compared(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s3 = add i64 %s2, %x3
  %x4 = call i64 @added(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s4 = add i64 %s3, %x4
  %x5 = call i64 @in_vector(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s5 = add i64 %s4, %x5
  %x6 = call i64 @masked(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s6 = add i64 %s5, %x6
  %x7 = add i64 0, 21
  %s7 = add i64 %s6, %x7
  %x8 = add i64 0, 21
  %s8 = add i64 %s7, %x8
  %x9 = call i64 @wide(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s9 = add i64 %s8, %x9
  %x10 = call i64 @structure(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s10 = add i64 %s9, %x10
  %x11 = call i64 @passed(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s11 = add i64 %s10, %x11
  %x12 = call i64 @returned(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s12 = add i64 %s11, %x12
  %x13 = call i64 @rotated(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s13 = add i64 %s12, %x13
  %x14 = call i64 @copied_words(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s14 = add i64 %s13, %x14
  %x15 = call i64 @copied_vector(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s15 = add i64 %s14, %x15
  %x16 = call i64 @copied_inline(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %s16 = add i64 %s15, %x16
  %x17 = call i64 @chosen(ptr addrspace(1) %holder, i1 %odd, i64 %zero)
  %sum = add i64 %s16, %x17
  %next = add i64 %i, 1
  %done = icmp ugt i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum
}
