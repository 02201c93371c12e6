; run: 20 = 20
; Words whose types say what they are, as frontends write them without !tbaa: a sum of integers, a
; getter called twice, and numbers tagged in bit 63, in bit 0 and boxed as doubles. Each round gives
; 1. prelude_test.c counts vectors, polls and loads.
@words = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
         { i32 16, i32 8, i32 1, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }
@values = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
          { i32 40, i32 0, i32 2, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)
declare ptr addrspace(1) @spgc_allocate(ptr)

define i64 @sum(ptr addrspace(1) %numbers) noinline gc "statepoint-example" {
entry:
  %length.at = getelementptr i8, ptr addrspace(1) %numbers, i64 8
  %length = load i64, ptr addrspace(1) %length.at
  %items = getelementptr i8, ptr addrspace(1) %numbers, i64 16
  %some = icmp ne i64 %length, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %total, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %items, i64 %i
  %number = load i64, ptr addrspace(1) %at
  %total = add i64 %sum, %number
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %length
  br i1 %more, label %loop, label %done
done:
  %result = phi i64 [ 0, %entry ], [ %total, %loop ]
  ret i64 %result
}

define i64 @get(ptr addrspace(1) %o) gc "statepoint-example" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %n = load i64, ptr addrspace(1) %at
  ret i64 %n
}

define i64 @twice(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %a = call i64 @get(ptr addrspace(1) %o)
  %b = call i64 @get(ptr addrspace(1) %o)
  %c = add i64 %a, %b
  ret i64 %c
}

define ptr addrspace(1) @tag63(ptr addrspace(1) %a, ptr addrspace(1) %b) noinline
    gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %s = add i64 %x, %y
  %t = or i64 %s, -9223372036854775808
  %r = inttoptr i64 %t to ptr addrspace(1)
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @tag0(ptr addrspace(1) %a, ptr addrspace(1) %b) noinline
    gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %x1 = ashr i64 %x, 1
  %y1 = ashr i64 %y, 1
  %m = mul i64 %x1, %y1
  %sh = shl i64 %m, 1
  %t = add i64 %sh, 1
  %r = inttoptr i64 %t to ptr addrspace(1)
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @nan(ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %u = sub i64 %x, 562949953421312
  %d = bitcast i64 %u to double
  %e = fadd double %d, 1.0
  %v = bitcast double %e to i64
  %w = add i64 %v, 562949953421312
  %r = inttoptr i64 %w to ptr addrspace(1)
  ret ptr addrspace(1) %r
}

; The numbers 1 to %n.
define ptr addrspace(1) @count(i64 %n) noinline gc "statepoint-example" {
entry:
  %numbers = call ptr addrspace(1) @spgc_allocate_array(ptr @words, i64 %n)
  %items = getelementptr i8, ptr addrspace(1) %numbers, i64 16
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %items, i64 %i
  %next = add i64 %i, 1
  store i64 %next, ptr addrspace(1) %at
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret ptr addrspace(1) %numbers
}

; Three immediates, kept in an object of values and across safepoints.
define i1 @round(i64 %i) noinline gc "statepoint-example" {
  %high = or i64 %i, -9223372036854775808
  %in.63 = inttoptr i64 %high to ptr addrspace(1)
  %shifted = shl i64 %i, 1
  %low = or i64 %shifted, 1
  %in.0 = inttoptr i64 %low to ptr addrspace(1)
  %number = uitofp i64 %i to double
  %bits = bitcast double %number to i64
  %moved = add i64 %bits, 562949953421312
  %boxed = inttoptr i64 %moved to ptr addrspace(1)
  %values = call ptr addrspace(1) @spgc_allocate(ptr @values)
  %first.at = getelementptr i8, ptr addrspace(1) %values, i64 8
  store ptr addrspace(1) %in.63, ptr addrspace(1) %first.at
  %second.at = getelementptr i8, ptr addrspace(1) %values, i64 16
  store ptr addrspace(1) %in.0, ptr addrspace(1) %second.at
  %third.at = getelementptr i8, ptr addrspace(1) %values, i64 24
  store ptr addrspace(1) %boxed, ptr addrspace(1) %third.at
  %count = add i64 %i, 1
  %numbers = call ptr addrspace(1) @count(i64 %count)
  %sum = call i64 @sum(ptr addrspace(1) %numbers)
  %length = call i64 @twice(ptr addrspace(1) %numbers)
  %first = load ptr addrspace(1), ptr addrspace(1) %first.at
  %doubled = call ptr addrspace(1) @tag63(ptr addrspace(1) %first, ptr addrspace(1) %first)
  %second = load ptr addrspace(1), ptr addrspace(1) %second.at
  %squared = call ptr addrspace(1) @tag0(ptr addrspace(1) %second, ptr addrspace(1) %second)
  %third = load ptr addrspace(1), ptr addrspace(1) %third.at
  %more = call ptr addrspace(1) @nan(ptr addrspace(1) %third)
  %doubled.bits = ptrtoint ptr addrspace(1) %doubled to i64
  %doubled.number = and i64 %doubled.bits, 9223372036854775807
  %twice = mul i64 %i, 2
  %ok.0 = icmp eq i64 %doubled.number, %twice
  %squared.bits = ptrtoint ptr addrspace(1) %squared to i64
  %squared.number = ashr i64 %squared.bits, 1
  %square = mul i64 %i, %i
  %ok.1 = icmp eq i64 %squared.number, %square
  %more.bits = ptrtoint ptr addrspace(1) %more to i64
  %more.double.bits = sub i64 %more.bits, 562949953421312
  %more.number = bitcast i64 %more.double.bits to double
  %expected = uitofp i64 %count to double
  %ok.2 = fcmp oeq double %more.number, %expected
  %next = add i64 %count, 1
  %product = mul i64 %count, %next
  %half = lshr i64 %product, 1
  %ok.3 = icmp eq i64 %sum, %half
  %two.lengths = mul i64 %count, 2
  %ok.4 = icmp eq i64 %length, %two.lengths
  %and.0 = and i1 %ok.0, %ok.1
  %and.1 = and i1 %and.0, %ok.2
  %and.2 = and i1 %and.1, %ok.3
  %and.3 = and i1 %and.2, %ok.4
  ret i1 %and.3
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %right = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %ok = call i1 @round(i64 %i)
  %one = zext i1 %ok to i64
  %sum = add i64 %right, %one
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret i64 %sum
}
