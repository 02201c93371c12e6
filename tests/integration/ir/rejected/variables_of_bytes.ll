; rejected: a structure with references is passed in stack memory
; Variables of bytes are roots where only calls name the references in them: a structure that a call
; returns or passes in memory, masked loads and stores. Each round gives 3.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)>, ptr, i32, <2 x i1>)
declare <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p0(ptr, i32, <2 x i1>,
    <2 x ptr addrspace(1)>)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define internal i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define internal void @get(ptr sret(%pair) %r) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 1)
  %at = getelementptr i8, ptr %r, i64 16
  store ptr addrspace(1) %o, ptr %at
  ret void
}

define internal i64 @use(ptr byval(%pair) align 8 %p) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr %p, i64 16
  %o = load ptr addrspace(1), ptr %at
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define internal void @look(ptr %p) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret void
}

define internal i64 @see(ptr %p) noinline gc "statepoint-example" {
  %at = getelementptr i8, ptr %p, i64 16
  %o = load ptr addrspace(1), ptr %at
  %value = call i64 @value(ptr addrspace(1) %o)
  ret i64 %value
}

define internal i64 @passed() noinline gc "statepoint-example" {
  %t = alloca [24 x i8], align 8
  call void @get(ptr sret(%pair) %t)
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %r = call i64 @use(ptr byval(%pair) align 8 %t)
  ret i64 %r
}

; An optimiser may take the attribute away from a function that it knows wholly.
define internal i64 @returned() noinline gc "statepoint-example" {
  %t = alloca [40 x i8], align 8
  %at = getelementptr i8, ptr %t, i64 8
  call void @get(ptr sret(%pair) %at)
  call void @look(ptr %t)
  %r = call i64 @see(ptr %at)
  ret i64 %r
}

define internal i64 @masked(<2 x i1> %mask) noinline gc "statepoint-example" {
  %t = alloca [16 x i8], align 8
  %o = call ptr addrspace(1) @make(i64 1)
  %v0 = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, i32 0
  %v = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %o, i32 1
  call void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)> %v, ptr %t, i32 8, <2 x i1> %mask)
  call void @look(ptr %t)
  %l = call <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p0(ptr %t, i32 8, <2 x i1> %mask,
      <2 x ptr addrspace(1)> zeroinitializer)
  %e = extractelement <2 x ptr addrspace(1)> %l, i32 1
  %r = call i64 @value(ptr addrspace(1) %e)
  ret i64 %r
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum3, %loop ]
  %some = icmp sge i64 %i, 0
  %m0 = insertelement <2 x i1> zeroinitializer, i1 %some, i32 0
  %m = insertelement <2 x i1> %m0, i1 %some, i32 1
  %a = call i64 @passed()
  %b = call i64 @returned()
  %c = call i64 @masked(<2 x i1> %m)
  %sum1 = add i64 %sum, %a
  %sum2 = add i64 %sum1, %b
  %sum3 = add i64 %sum2, %c
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret i64 %sum3
}
