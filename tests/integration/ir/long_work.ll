; Work that takes long without a call of anything unknown. Each round of each loop counts in @steps,
; so that the work between two polls can be told.
@steps = global i64 0
@some_step = global ptr @step

declare void @spgc_poll()

define internal void @step() noinline gc "statepoint-example" {
  %s = load volatile i64, ptr @steps
  %next = add i64 %s, 1
  store volatile i64 %next, ptr @steps
  ret void
}

; Loops that are short, each by itself.
define i64 @nested_loops(i64 %unused) gc "statepoint-example" {
entry:
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %middle

middle:
  %j = phi i32 [ 1000, %outer ], [ %j.next, %middle.latch ]
  br label %inner

inner:
  %k = phi i32 [ 0, %middle ], [ %k.next, %inner.body ]
  %more = icmp ult i32 %k, 1000
  br i1 %more, label %inner.body, label %middle.latch

inner.body:
  %s = load volatile i64, ptr @steps
  %next = add i64 %s, 1
  store volatile i64 %next, ptr @steps
  %k.next = add i32 %k, 1
  br label %inner

middle.latch:
  %j.next = add i32 %j, -1
  %j.more = icmp sgt i32 %j.next, 0
  br i1 %j.more, label %middle, label %outer.latch

outer.latch:
  %i.next = add i32 %i, 1
  %i.done = icmp eq i32 %i.next, 4
  br i1 %i.done, label %exit, label %outer

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

; A function that makes no calls does not poll.
define i64 @calls_of_leaves(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @step()
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

define i64 @calls_through_a_pointer(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %f = load volatile ptr, ptr @some_step
  call void %f()
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

; A loop that is short, in a function that is called in one that is.
define internal void @many_steps() noinline gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = load volatile i64, ptr @steps
  %next = add i64 %s, 1
  store volatile i64 %next, ptr @steps
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, 1000
  br i1 %done, label %exit, label %loop

exit:
  ret void
}

define i64 @calls_of_loops(i64 %unused) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @many_steps()
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, 1000
  br i1 %done, label %exit, label %loop

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

; Its calls poll, but it makes them seldom.
define i64 @rare_calls(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %s = load volatile i64, ptr @steps
  %next = add i64 %s, 1
  store volatile i64 %next, ptr @steps
  %rest = urem i64 %next, 100000
  %rare = icmp eq i64 %rest, 99999
  br i1 %rare, label %poll, label %latch

poll:
  call void @spgc_poll()
  br label %latch

latch:
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %exit, label %loop

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

; A cycle with two entries.
define i64 @two_entries(i64 %n) gc "statepoint-example" {
entry:
  %even = and i64 %n, 1
  %which = icmp eq i64 %even, 0
  br i1 %which, label %first, label %second

first:
  %a = phi i64 [ 0, %entry ], [ %b.next, %second ]
  %s = load volatile i64, ptr @steps
  %s.next = add i64 %s, 1
  store volatile i64 %s.next, ptr @steps
  %a.next = add i64 %a, 1
  %a.done = icmp uge i64 %a.next, %n
  br i1 %a.done, label %exit, label %second

second:
  %b = phi i64 [ 0, %entry ], [ %a.next, %first ]
  %t = load volatile i64, ptr @steps
  %t.next = add i64 %t, 1
  store volatile i64 %t.next, ptr @steps
  %b.next = add i64 %b, 1
  br label %first

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}

define i64 @tail_recursion(i64 %n) noinline gc "statepoint-example" {
entry:
  %end = icmp eq i64 %n, 0
  br i1 %end, label %exit, label %more

more:
  %s = load volatile i64, ptr @steps
  %next = add i64 %s, 1
  store volatile i64 %next, ptr @steps
  %less = sub i64 %n, 1
  %r = musttail call i64 @tail_recursion(i64 %less)
  ret i64 %r

exit:
  %result = load volatile i64, ptr @steps
  ret i64 %result
}
