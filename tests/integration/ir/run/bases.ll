; run: 7 = 1203
; References whose bases RewriteStatepointsForGC does not find by itself are live across safepoints:
; vectors made of numbers or taken from structures, casts between a reference and a vector of one,
; and results of invokes that return to the head of a loop.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

%pair = type { <2 x ptr addrspace(1)>, i64 }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

; 1 when its second lane, which is a number, is still the one that was made.
define i64 @sum(<2 x ptr addrspace(1)> %both, i64 %number) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %first = extractelement <2 x ptr addrspace(1)> %both, i32 0
  %second = extractelement <2 x ptr addrspace(1)> %both, i32 1
  %value = call i64 @value(ptr addrspace(1) %first)
  %made = inttoptr i64 %number to ptr addrspace(1)
  %same = icmp eq ptr addrspace(1) %second, %made
  %one = zext i1 %same to i64
  %sum = add i64 %value, %one
  ret i64 %sum
}

; Two numbers become references, and one of them is replaced by an object afterwards.
define i64 @of_numbers(<2 x i64> %numbers, i64 %lane) noinline gc "statepoint-example" {
  %made = inttoptr <2 x i64> %numbers to <2 x ptr addrspace(1)>
  %object = call ptr addrspace(1) @make(i64 100)
  %both = insertelement <2 x ptr addrspace(1)> %made, ptr addrspace(1) %object, i32 0
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %number = extractelement <2 x i64> %numbers, i32 1
  %sum = call i64 @sum(<2 x ptr addrspace(1)> %both, i64 %number)
  ret i64 %sum
}

define %pair @give(i64 %value, i64 %number) noinline gc "statepoint-example" {
  %object = call ptr addrspace(1) @make(i64 %value)
  %made = inttoptr i64 %number to ptr addrspace(1)
  %lane = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %object, i32 0
  %both = insertelement <2 x ptr addrspace(1)> %lane, ptr addrspace(1) %made, i32 1
  %first = insertvalue %pair zeroinitializer, <2 x ptr addrspace(1)> %both, 0
  %pair = insertvalue %pair %first, i64 %number, 1
  ret %pair %pair
}

define i64 @of_result(i64 %value, i64 %number) noinline gc "statepoint-example" {
  %pair = call %pair @give(i64 %value, i64 %number)
  %both = extractvalue %pair %pair, 0
  %second = extractvalue %pair %pair, 1
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %sum = call i64 @sum(<2 x ptr addrspace(1)> %both, i64 %second)
  ret i64 %sum
}

define i64 @of_parameter(%pair %pair) noinline gc "statepoint-example" {
  %both = extractvalue %pair %pair, 0
  %number = extractvalue %pair %pair, 1
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %sum = call i64 @sum(<2 x ptr addrspace(1)> %both, i64 %number)
  ret i64 %sum
}

define i64 @passed(i64 %value, i64 %number) noinline gc "statepoint-example" {
  %pair = call %pair @give(i64 %value, i64 %number)
  %sum = call i64 @of_parameter(%pair %pair)
  ret i64 %sum
}

; The interior pointer in the vector follows its object.
define i64 @vector_of_one(i64 %value) noinline gc "statepoint-example" {
  %object = call ptr addrspace(1) @make(i64 %value)
  %at = getelementptr i8, ptr addrspace(1) %object, i64 24
  %vector = bitcast ptr addrspace(1) %at to <1 x ptr addrspace(1)>
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %again = bitcast <1 x ptr addrspace(1)> %vector to ptr addrspace(1)
  %more = call ptr addrspace(1) @make(i64 -1)
  %read = load i64, ptr addrspace(1) %again
  ret i64 %read
}

define <1 x ptr addrspace(1)> @give_one(i64 %value) noinline gc "statepoint-example" {
  %object = call ptr addrspace(1) @make(i64 %value)
  %vector = bitcast ptr addrspace(1) %object to <1 x ptr addrspace(1)>
  %garbage = call ptr addrspace(1) @make(i64 -1)
  ret <1 x ptr addrspace(1)> %vector
}

define i64 @taken_as_one(i64 %value) noinline gc "statepoint-example" {
  %vector = call <1 x ptr addrspace(1)> @give_one(i64 %value)
  %object = bitcast <1 x ptr addrspace(1)> %vector to ptr addrspace(1)
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %read = call i64 @value(ptr addrspace(1) %object)
  ret i64 %read
}

define ptr addrspace(1) @next(ptr addrspace(1) %o) noinline "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %next = load ptr addrspace(1), ptr addrspace(1) %at
  ret ptr addrspace(1) %next
}

; Each round reads the value of the object that the leaf gave before the first.
define i64 @leaf_before_loop(i64 %rounds) noinline gc "statepoint-example"
    personality ptr @spgc_personality {
entry:
  %last = call ptr addrspace(1) @make(i64 30)
  %first = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %first, i64 8
  store ptr addrspace(1) %last, ptr addrspace(1) %at
  %next = invoke ptr addrspace(1) @next(ptr addrspace(1) %first) to label %loop unwind label %pad
loop:
  %round = phi i64 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %total, %loop ]
  %value = call i64 @value(ptr addrspace(1) %next)
  %total = add i64 %sum, %value
  %following = add i64 %round, 1
  %done = icmp eq i64 %following, %rounds
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %total
pad:
  %token = landingpad token cleanup
  ret i64 0
}

define i64 @structure_before_loop(i64 %rounds) noinline gc "statepoint-example"
    personality ptr @spgc_personality {
entry:
  %pair = invoke %pair @give(i64 40, i64 5) to label %loop unwind label %pad
loop:
  %round = phi i64 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %total, %loop ]
  %both = extractvalue %pair %pair, 0
  %object = extractelement <2 x ptr addrspace(1)> %both, i32 0
  %value = call i64 @value(ptr addrspace(1) %object)
  %total = add i64 %sum, %value
  %following = add i64 %round, 1
  %done = icmp eq i64 %following, %rounds
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %total
pad:
  %token = landingpad token cleanup
  ret i64 0
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %tagged = or i64 %n, 1
  %numbers = insertelement <2 x i64> <i64 3, i64 3>, i64 %tagged, i32 1
  %a = call i64 @of_numbers(<2 x i64> %numbers, i64 0)
  %b = call i64 @of_result(i64 200, i64 %tagged)
  %c = call i64 @passed(i64 300, i64 %tagged)
  %d = call i64 @vector_of_one(i64 50)
  %e = call i64 @taken_as_one(i64 60)
  %f = call i64 @leaf_before_loop(i64 %n)
  %g = call i64 @structure_before_loop(i64 %n)
  %ab = add i64 %a, %b
  %abc = add i64 %ab, %c
  %abcd = add i64 %abc, %d
  %abcde = add i64 %abcd, %e
  %abcdef = add i64 %abcde, %f
  %all = add i64 %abcdef, %g
  ret i64 %all
}
