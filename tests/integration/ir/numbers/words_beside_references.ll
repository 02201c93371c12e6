; run: 5 = 700
; A word that may be a reference, beside a reference in one structure, which is frozen, chosen,
; passed and returned. The same is copied before and after allocations.
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

define ptr addrspace(1) @pair(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %x = call ptr addrspace(1) @make(i64 %value)
  %first = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %x, ptr addrspace(1) %first
  %y = call ptr addrspace(1) @make(i64 %value)
  %second = getelementptr i8, ptr addrspace(1) %o, i64 16
  store ptr addrspace(1) %y, ptr addrspace(1) %second
  ret ptr addrspace(1) %o
}

define i64 @sum(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %first = getelementptr i8, ptr addrspace(1) %o, i64 8
  %x = load ptr addrspace(1), ptr addrspace(1) %first
  %second = getelementptr i8, ptr addrspace(1) %o, i64 16
  %y = load ptr addrspace(1), ptr addrspace(1) %second
  %x.at = getelementptr i8, ptr addrspace(1) %x, i64 24
  %y.at = getelementptr i8, ptr addrspace(1) %y, i64 24
  %a = load i64, ptr addrspace(1) %x.at
  %b = load i64, ptr addrspace(1) %y.at
  %sum = add i64 %a, %b
  ret i64 %sum
}

define internal { i64, ptr addrspace(1) } @same({ i64, ptr addrspace(1) } %v) noinline
    "gc-leaf-function" {
  ret { i64, ptr addrspace(1) } %v
}

define internal { i64, ptr addrspace(1) } @read(ptr addrspace(1) %at) noinline "gc-leaf-function" {
  %v = load { i64, ptr addrspace(1) }, ptr addrspace(1) %at
  ret { i64, ptr addrspace(1) } %v
}

define i64 @of_freeze(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %from = getelementptr i8, ptr addrspace(1) %o, i64 8
  %p = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %p.at = getelementptr i8, ptr addrspace(1) %p, i64 8
  %v = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from
  %f = freeze { i64, ptr addrspace(1) } %v
  store { i64, ptr addrspace(1) } %f, ptr addrspace(1) %p.at
  %q = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %q.at = getelementptr i8, ptr addrspace(1) %q, i64 8
  %w = load { i64, ptr addrspace(1) }, ptr addrspace(1) %p.at
  %g = freeze { i64, ptr addrspace(1) } %w
  %r = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %again = load { i64, ptr addrspace(1) }, ptr addrspace(1) %p.at
  %h = freeze { i64, ptr addrspace(1) } %again
  store { i64, ptr addrspace(1) } %h, ptr addrspace(1) %q.at
  %x = call i64 @sum(ptr addrspace(1) %q)
  %y = call i64 @sum(ptr addrspace(1) %p)
  %xy = add i64 %x, %y
  ret i64 %xy
}

define i64 @of_choice(ptr addrspace(1) %o, i1 %which) noinline gc "statepoint-example" {
  %from = getelementptr i8, ptr addrspace(1) %o, i64 8
  %p = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %p.at = getelementptr i8, ptr addrspace(1) %p, i64 8
  %v = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from
  %u = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from
  %f = select i1 %which, { i64, ptr addrspace(1) } %v, { i64, ptr addrspace(1) } %u
  store { i64, ptr addrspace(1) } %f, ptr addrspace(1) %p.at
  %q = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %q.at = getelementptr i8, ptr addrspace(1) %q, i64 8
  %w = load { i64, ptr addrspace(1) }, ptr addrspace(1) %p.at
  %z = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from
  %g = select i1 %which, { i64, ptr addrspace(1) } %w, { i64, ptr addrspace(1) } %z
  store { i64, ptr addrspace(1) } %g, ptr addrspace(1) %q.at
  %x = call i64 @sum(ptr addrspace(1) %q)
  %y = call i64 @sum(ptr addrspace(1) %p)
  %xy = add i64 %x, %y
  ret i64 %xy
}

define i64 @of_calls(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %from = getelementptr i8, ptr addrspace(1) %o, i64 8
  %p = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %p.at = getelementptr i8, ptr addrspace(1) %p, i64 8
  %v = load { i64, ptr addrspace(1) }, ptr addrspace(1) %from
  %f = call { i64, ptr addrspace(1) } @same({ i64, ptr addrspace(1) } %v)
  store { i64, ptr addrspace(1) } %f, ptr addrspace(1) %p.at
  %q = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %q.at = getelementptr i8, ptr addrspace(1) %q, i64 8
  %w = load { i64, ptr addrspace(1) }, ptr addrspace(1) %p.at
  %g = call { i64, ptr addrspace(1) } @same({ i64, ptr addrspace(1) } %w)
  store { i64, ptr addrspace(1) } %g, ptr addrspace(1) %q.at
  %r = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %r.at = getelementptr i8, ptr addrspace(1) %r, i64 8
  %h = call { i64, ptr addrspace(1) } @read(ptr addrspace(1) %p.at)
  store { i64, ptr addrspace(1) } %h, ptr addrspace(1) %r.at
  %x = call i64 @sum(ptr addrspace(1) %q)
  %y = call i64 @sum(ptr addrspace(1) %p)
  %z = call i64 @sum(ptr addrspace(1) %r)
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  ret i64 %xyz
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %a = call ptr addrspace(1) @pair(i64 10)
  %x = call i64 @of_freeze(ptr addrspace(1) %a)
  %b = call ptr addrspace(1) @pair(i64 10)
  %bit = trunc i64 %i to i1
  %y = call i64 @of_choice(ptr addrspace(1) %b, i1 %bit)
  %c = call ptr addrspace(1) @pair(i64 10)
  %z = call i64 @of_calls(ptr addrspace(1) %c)
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  %more = add i64 %sum, %xyz
  %next = add i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret i64 %more
}
