; run: 7 = 98671
; Addresses in loops: an invoke that ends the rounds is given one that the round computed, a cycle
; has two entries, one loop is in another, and a number is computed of one in many steps.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@node.offsets = internal constant [2 x i32] [i32 8, i32 16]
@node = internal constant %spgc_type { i32 32, i32 0, i32 0, i32 2, ptr @node.offsets, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 24
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

; 1 if the number is the object's address.
define i64 @same(i64 %number, ptr addrspace(1) %o) noinline "gc-leaf-function" {
  %address = ptrtoint ptr addrspace(1) %o to i64
  %same = icmp eq i64 %number, %address
  %one = zext i1 %same to i64
  ret i64 %one
}

; 1 if it was in each round.
define i64 @invoked(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example"
    personality ptr @spgc_personality {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %last = phi i64 [ 1, %entry ], [ %one, %latch ]
  %before = phi i64 [ 1, %entry ], [ %all, %latch ]
  %all = and i64 %before, %last
  %next = add i64 %i, 1
  %ends = icmp uge i64 %i, %n
  br i1 %ends, label %end, label %latch

latch:
  %number = ptrtoint ptr addrspace(1) %o to i64
  %one = invoke i64 @same(i64 %number, ptr addrspace(1) %o) to label %loop unwind label %pad

end:
  ret i64 %all

pad:
  %token = landingpad token cleanup
  ret i64 -1
}

; The rounds in which it was, of a cycle that begins at either of its blocks.
define i64 @entered(ptr addrspace(1) %o, i64 %n, i1 %odd) noinline gc "statepoint-example" {
entry:
  br i1 %odd, label %second, label %first

first:
  %i = phi i64 [ 0, %entry ], [ %next, %second ]
  %sum = phi i64 [ 0, %entry ], [ %more, %second ]
  %number = ptrtoint ptr addrspace(1) %o to i64
  %ends = icmp uge i64 %i, %n
  br i1 %ends, label %end, label %second

second:
  %j = phi i64 [ 0, %entry ], [ %i, %first ]
  %partial = phi i64 [ 0, %entry ], [ %sum, %first ]
  %stays = phi i64 [ 0, %entry ], [ %number, %first ]
  %one = call i64 @same(i64 %stays, ptr addrspace(1) %o)
  %more = add i64 %partial, %one
  %next = add i64 %j, 1
  br label %first

end:
  ret i64 %sum
}

; The rounds of the inner loop in which the address of the outer loop's object was that of the inner
; one's.
define i64 @nested(ptr addrspace(1) %o, i64 %n) noinline gc "statepoint-example" {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %inner ]
  %sum = phi i64 [ 0, %entry ], [ %more, %inner ]
  %ends = icmp uge i64 %i, %n
  br i1 %ends, label %end, label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.latch ]
  %inner.sum = phi i64 [ %sum, %outer ], [ %more, %inner.latch ]
  %number = ptrtoint ptr addrspace(1) %o to i64
  %one = call i64 @same(i64 %number, ptr addrspace(1) %o)
  %more = add i64 %inner.sum, %one
  %j.next = add i64 %j, 1
  %i.next = add i64 %i, 1
  %inner.ends = icmp uge i64 %j, %i
  br i1 %inner.ends, label %outer, label %inner.latch

inner.latch:
  br label %inner

end:
  ret i64 %sum
}

; The rounds in which both were: one computed before the block that ends the round, and one read in
; it.
define i64 @computed(ptr addrspace(1) %o, i64 %n, i64 %x, i64 %inverse) noinline
    gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %number = ptrtoint ptr addrspace(1) %o to i64
  %a = mul i64 %number, %x
  %b = mul i64 %a, %inverse
  %c = mul i64 %b, %x
  %d = mul i64 %c, %inverse
  %e = mul i64 %d, %x
  %f = mul i64 %e, %inverse
  br label %latch

latch:
  %again = ptrtoint ptr addrspace(1) %o to i64
  %one = call i64 @same(i64 %again, ptr addrspace(1) %o)
  %two = call i64 @same(i64 %f, ptr addrspace(1) %o)
  %both = and i64 %one, %two
  %more = add i64 %sum, %both
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end

end:
  ret i64 %more
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 1)
  %garbage = call ptr addrspace(1) @make(i64 2)
  %invoked = call i64 @invoked(ptr addrspace(1) %o, i64 %n)
  %first = call i64 @entered(ptr addrspace(1) %o, i64 %n, i1 false)
  %second = call i64 @entered(ptr addrspace(1) %o, i64 %n, i1 true)
  %nested = call i64 @nested(ptr addrspace(1) %o, i64 %n)
  %of.first = mul i64 %first, 10
  %of.second = mul i64 %second, 100
  %of.nested = mul i64 %nested, 1000
  %one = add i64 %invoked, %of.first
  %two = add i64 %of.second, %of.nested
  %computed = call i64 @computed(ptr addrspace(1) %o, i64 %n, i64 3, i64 -6148914691236517205)
  %of.computed = mul i64 %computed, 10000
  %three = add i64 %one, %two
  %sum = add i64 %three, %of.computed
  ret i64 %sum
}
