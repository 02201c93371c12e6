; run: 9 = 142
; Tail calls that pass structures, arrays and vectors with references, made anew at each step.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@cell = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %number) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %at = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %number, ptr addrspace(1) %at
  ret ptr addrspace(1) %new
}

define i64 @number(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %number = load i64, ptr addrspace(1) %at
  ret i64 %number
}

; Passes its parameters on, put together in another way.
define internal i64 @whole({ ptr addrspace(1), i64 } %pair, [2 x ptr addrspace(1)] %two,
    <2 x ptr addrspace(1)> %lanes, i64 %n) noinline gc "statepoint-example" {
  %a = extractvalue { ptr addrspace(1), i64 } %pair, 0
  %i = extractvalue { ptr addrspace(1), i64 } %pair, 1
  %b = extractvalue [2 x ptr addrspace(1)] %two, 0
  %c = extractvalue [2 x ptr addrspace(1)] %two, 1
  %pair.c = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %c, 0
  %pair.i = insertvalue { ptr addrspace(1), i64 } %pair.c, i64 %i, 1
  %two.b = insertvalue [2 x ptr addrspace(1)] poison, ptr addrspace(1) %a, 0
  %two.c = insertvalue [2 x ptr addrspace(1)] %two.b, ptr addrspace(1) %b, 1
  %r = musttail call i64 @parts({ ptr addrspace(1), i64 } %pair.i, [2 x ptr addrspace(1)] %two.c,
      <2 x ptr addrspace(1)> %lanes, i64 %n)
  ret i64 %r
}

; Takes them apart, and puts them together again behind a safepoint.
define internal i64 @parts({ ptr addrspace(1), i64 } %pair, [2 x ptr addrspace(1)] %two,
    <2 x ptr addrspace(1)> %lanes, i64 %n) noinline gc "statepoint-example" {
  %a = extractvalue { ptr addrspace(1), i64 } %pair, 0
  %i = extractvalue { ptr addrspace(1), i64 } %pair, 1
  %b = extractvalue [2 x ptr addrspace(1)] %two, 0
  %c = extractvalue [2 x ptr addrspace(1)] %two, 1
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %x = call i64 @number(ptr addrspace(1) %c)
  %new = call ptr addrspace(1) @make(i64 %x)
  %more.i = add i64 %i, %x
  %rest = sub i64 %n, 1
  %pair.a = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %b, 0
  %pair.i = insertvalue { ptr addrspace(1), i64 } %pair.a, i64 %more.i, 1
  %two.b = insertvalue [2 x ptr addrspace(1)] poison, ptr addrspace(1) %new, 0
  %two.c = insertvalue [2 x ptr addrspace(1)] %two.b, ptr addrspace(1) %a, 1
  %lane = extractelement <2 x ptr addrspace(1)> %lanes, i32 1
  %lanes.2 = shufflevector <2 x ptr addrspace(1)> %lanes, <2 x ptr addrspace(1)> poison,
      <2 x i32> <i32 1, i32 0>
  %r = musttail call i64 @whole({ ptr addrspace(1), i64 } %pair.i, [2 x ptr addrspace(1)] %two.c,
      <2 x ptr addrspace(1)> %lanes.2, i64 %rest)
  ret i64 %r
done:
  %u = call i64 @number(ptr addrspace(1) %a)
  %v = call i64 @number(ptr addrspace(1) %b)
  %w = call i64 @number(ptr addrspace(1) %c)
  %l = extractelement <2 x ptr addrspace(1)> %lanes, i32 0
  %m = extractelement <2 x ptr addrspace(1)> %lanes, i32 1
  %y = call i64 @number(ptr addrspace(1) %l)
  %z = call i64 @number(ptr addrspace(1) %m)
  %s.1 = add i64 %u, %v
  %s.2 = add i64 %s.1, %w
  %s.3 = add i64 %s.2, %y
  %s.4 = add i64 %s.3, %z
  %s.5 = add i64 %s.4, %i
  ret i64 %s.5
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 1)
  %c = call ptr addrspace(1) @make(i64 1)
  %l = call ptr addrspace(1) @make(i64 10)
  %m = call ptr addrspace(1) @make(i64 20)
  %pair.a = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %a, 0
  %pair.i = insertvalue { ptr addrspace(1), i64 } %pair.a, i64 100, 1
  %two.b = insertvalue [2 x ptr addrspace(1)] poison, ptr addrspace(1) %b, 0
  %two.c = insertvalue [2 x ptr addrspace(1)] %two.b, ptr addrspace(1) %c, 1
  %lanes.1 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %l, i32 0
  %lanes.2 = insertelement <2 x ptr addrspace(1)> %lanes.1, ptr addrspace(1) %m, i32 1
  %r = call i64 @whole({ ptr addrspace(1), i64 } %pair.i, [2 x ptr addrspace(1)] %two.c,
      <2 x ptr addrspace(1)> %lanes.2, i64 %n)
  ret i64 %r
}
