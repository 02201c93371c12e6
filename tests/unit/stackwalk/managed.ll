; Managed functions whose frames the walk tests cross. References are moved by every call of a C
; function.

declare void @collect()
declare i64 @call_managed(ptr, ptr addrspace(1), i64)

; Three references, more than one of them in registers.
define i64 @sum_of_three(ptr addrspace(1) %a, ptr addrspace(1) %b,
    ptr addrspace(1) %c) uwtable(sync) gc "statepoint-example" {
  call void @collect()
  call void @collect()
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %z = load i64, ptr addrspace(1) %c
  %xy = add i64 %x, %y
  %sum = add i64 %xy, %z
  ret i64 %sum
}

; A pointer that walks through an object to one past its last word; a collection for each word.
define i64 @sum_of_words(ptr addrspace(1) %object, i64 %words) uwtable(sync)
    gc "statepoint-example" {
entry:
  %bytes = shl i64 %words, 3
  br label %head

head:
  %word = phi ptr addrspace(1) [ %object, %entry ], [ %next, %body ]
  %left = phi i64 [ %bytes, %entry ], [ %left.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %exit, label %body

body:
  %value = load i64, ptr addrspace(1) %word
  %sum.next = add i64 %sum, %value
  %next = getelementptr i8, ptr addrspace(1) %word, i64 8
  %left.next = sub i64 %left, 8
  call void @collect()
  br label %head

exit:
  call void @collect()
  %last = getelementptr i8, ptr addrspace(1) %word, i64 -8
  %again = load i64, ptr addrspace(1) %last
  %total = add i64 %sum, %again
  ret i64 %total
}

define <2 x i64> @sum_of_pair(<2 x ptr addrspace(1)> %objects) uwtable(sync)
    gc "statepoint-example" {
  call void @collect()
  %first = extractelement <2 x ptr addrspace(1)> %objects, i32 0
  %second = extractelement <2 x ptr addrspace(1)> %objects, i32 1
  %x = load i64, ptr addrspace(1) %first
  %y = load i64, ptr addrspace(1) %second
  %partial = insertelement <2 x i64> zeroinitializer, i64 %x, i32 0
  %both = insertelement <2 x i64> %partial, i64 %y, i32 1
  ret <2 x i64> %both
}

; Vectors of 2, 4 and 8 lanes, and scalar references beside them. (LLVM 19 cannot take a variable
; lane of a relocated vector on AArch64.)
define i64 @sum_through_vectors(ptr addrspace(1) %a, ptr addrspace(1) %b,
    i64 %lane) uwtable(sync) gc "statepoint-example" {
  %v2.0 = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %a, i32 0
  %v2 = insertelement <2 x ptr addrspace(1)> %v2.0, ptr addrspace(1) %b, i32 1
  %v4 = shufflevector <2 x ptr addrspace(1)> %v2, <2 x ptr addrspace(1)> %v2, <4 x i32> <i32 0,
  i32 1, i32 3, i32 0>
  %v8 = shufflevector <4 x ptr addrspace(1)> %v4, <4 x ptr addrspace(1)> %v4, <8 x i32> <i32 0,
  i32 1, i32 2, i32 3, i32 4, i32 5, i32 7, i32 6>
  call void @collect()
  call void @collect()
  %is.second = icmp eq i64 %lane, 1
  %p0 = extractelement <2 x ptr addrspace(1)> %v2, i64 0
  %p1 = extractelement <2 x ptr addrspace(1)> %v2, i64 1
  %p = select i1 %is.second, ptr addrspace(1) %p1, ptr addrspace(1) %p0
  %q0 = extractelement <4 x ptr addrspace(1)> %v4, i64 0
  %q1 = extractelement <4 x ptr addrspace(1)> %v4, i64 1
  %q = select i1 %is.second, ptr addrspace(1) %q1, ptr addrspace(1) %q0
  %r0 = extractelement <8 x ptr addrspace(1)> %v8, i64 0
  %r1 = extractelement <8 x ptr addrspace(1)> %v8, i64 1
  %r = select i1 %is.second, ptr addrspace(1) %r1, ptr addrspace(1) %r0
  %x = load i64, ptr addrspace(1) %p
  %y = load i64, ptr addrspace(1) %q
  %z = load i64, ptr addrspace(1) %r
  %w = load i64, ptr addrspace(1) %b
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  %sum = add i64 %xyz, %w
  ret i64 %sum
}

; A value made from null is no object, whatever its bits: it comes back as it was. `pick` joins it
; with a real object.
define i64 @keep_null_based(ptr addrspace(1) %object, i64 %bits,
    i1 %choose) uwtable(sync) gc "statepoint-example" {
entry:
  %value = getelementptr i8, ptr addrspace(1) null, i64 %bits
  br i1 %choose, label %left, label %right

left:
  call void @collect()
  br label %join

right:
  br label %join

join:
  %pick = phi ptr addrspace(1) [ %object, %left ], [ %value, %right ]
  call void @collect()
  %kept = ptrtoint ptr addrspace(1) %value to i64
  %picked = icmp eq ptr addrspace(1) %pick, %object
  %x = load i64, ptr addrspace(1) %object
  %sum = add i64 %kept, %x
  %one = zext i1 %picked to i64
  %result = add i64 %sum, %one
  ret i64 %result
}

; Managed frames with C frames between them; each level keeps its reference in a register or slot.
define i64 @descend(ptr addrspace(1) %object, i64 %depth) uwtable(sync) gc "statepoint-example" {
entry:
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %stop, label %deeper

stop:
  call void @collect()
  %value = load i64, ptr addrspace(1) %object
  ret i64 %value

deeper:
  %next = getelementptr i8, ptr addrspace(1) %object, i64 8
  %child = load ptr addrspace(1), ptr addrspace(1) %next
  %depth.next = sub i64 %depth, 1
  %below = call i64 @call_managed(ptr @descend, ptr addrspace(1) %child, i64 %depth.next)
  %own = load i64, ptr addrspace(1) %object
  %sum = add i64 %below, %own
  ret i64 %sum
}

; More references than there are registers: the array and the seven in it.
define i64 @sum_of_eight(ptr addrspace(1) %array) uwtable(sync) gc "statepoint-example" {
  %sum = call i64 @sum_of_eight_inline(ptr addrspace(1) %array)
  ret i64 %sum
}

define internal i64 @sum_of_eight_inline(ptr addrspace(1) %array) alwaysinline uwtable(sync)
    gc "statepoint-example" {
  %s1 = getelementptr i8, ptr addrspace(1) %array, i64 8
  %s2 = getelementptr i8, ptr addrspace(1) %array, i64 16
  %s3 = getelementptr i8, ptr addrspace(1) %array, i64 24
  %s4 = getelementptr i8, ptr addrspace(1) %array, i64 32
  %s5 = getelementptr i8, ptr addrspace(1) %array, i64 40
  %s6 = getelementptr i8, ptr addrspace(1) %array, i64 48
  %s7 = getelementptr i8, ptr addrspace(1) %array, i64 56
  %r0 = load ptr addrspace(1), ptr addrspace(1) %s1
  %r1 = load ptr addrspace(1), ptr addrspace(1) %s2
  %r2 = load ptr addrspace(1), ptr addrspace(1) %s3
  %r3 = load ptr addrspace(1), ptr addrspace(1) %s4
  %r4 = load ptr addrspace(1), ptr addrspace(1) %s5
  %r5 = load ptr addrspace(1), ptr addrspace(1) %s6
  %r6 = load ptr addrspace(1), ptr addrspace(1) %s7
  call void @collect() "statepoint-id"="77"
  call void @collect()
  %v0 = load i64, ptr addrspace(1) %r0
  %v1 = load i64, ptr addrspace(1) %r1
  %v2 = load i64, ptr addrspace(1) %r2
  %v3 = load i64, ptr addrspace(1) %r3
  %v4 = load i64, ptr addrspace(1) %r4
  %v5 = load i64, ptr addrspace(1) %r5
  %v6 = load i64, ptr addrspace(1) %r6
  %v7 = load i64, ptr addrspace(1) %array
  %a0 = add i64 %v0, %v1
  %a1 = add i64 %a0, %v2
  %a2 = add i64 %a1, %v3
  %a3 = add i64 %a2, %v4
  %a4 = add i64 %a3, %v5
  %a5 = add i64 %a4, %v6
  %a6 = add i64 %a5, %v7
  ret i64 %a6
}

; A frame whose size is known only at run time: slots are addressed from RBP.
define i64 @sum_beside_dynamic_alloca(ptr addrspace(1) %array,
    i64 %bytes) uwtable(sync) gc "statepoint-example" {
  %room = alloca i8, i64 %bytes
  store volatile i8 1, ptr %room
  %sum = call i64 @sum_of_eight_inline(ptr addrspace(1) %array)
  %last = load volatile i8, ptr %room
  %wide = zext i8 %last to i64
  %total = add i64 %sum, %wide
  ret i64 %total
}

; The same with a stack realigned for 64-byte vectors: slots are addressed from RBX.
define i64 @sum_beside_realigned_alloca(ptr addrspace(1) %array,
    i64 %bytes) uwtable(sync) gc "statepoint-example" {
  %room = alloca i8, i64 %bytes
  %aligned = alloca <8 x i64>, align 64
  store volatile i8 1, ptr %room
  store volatile <8 x i64> zeroinitializer, ptr %aligned
  %sum = call i64 @sum_of_eight_inline(ptr addrspace(1) %array)
  %last = load volatile i8, ptr %room
  %wide = zext i8 %last to i64
  %total = add i64 %sum, %wide
  ret i64 %total
}

; Pointers into two objects, a vector that moves forward by words; a collection for each step.
define i64 @sum_of_words_of_both(ptr addrspace(1) %a, ptr addrspace(1) %b,
    i64 %words) uwtable(sync) gc "statepoint-example" {
entry:
  %both.0 = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %a, i32 0
  %both = insertelement <2 x ptr addrspace(1)> %both.0, ptr addrspace(1) %b, i32 1
  br label %loop

loop:
  %current = phi <2 x ptr addrspace(1)> [ %both, %entry ], [ %next, %loop ]
  %left = phi i64 [ %words, %entry ], [ %left.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  call void @collect()
  %p = extractelement <2 x ptr addrspace(1)> %current, i32 0
  %q = extractelement <2 x ptr addrspace(1)> %current, i32 1
  %x = load i64, ptr addrspace(1) %p
  %y = load i64, ptr addrspace(1) %q
  %xy = add i64 %x, %y
  %sum.next = add i64 %sum, %xy
  %next = getelementptr i8, <2 x ptr addrspace(1)> %current, <2 x i64> <i64 8, i64 8>
  %left.next = sub i64 %left, 1
  %done = icmp eq i64 %left.next, 0
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum.next
}

; Calls itself directly, three references in each frame.
define i64 @dive(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c,
    i64 %depth) noinline uwtable(sync) gc "statepoint-example" {
entry:
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %stop, label %deeper

stop:
  call void @collect()
  ret i64 0

deeper:
  %depth.next = sub i64 %depth, 1
  %below = call i64 @dive(ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %a,
  i64 %depth.next)
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %z = load i64, ptr addrspace(1) %c
  %xy = add i64 %x, %y
  %xyz = add i64 %xy, %z
  %sum = add i64 %xyz, %below
  ret i64 %sum
}
