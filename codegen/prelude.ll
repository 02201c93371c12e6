; The bodies of the operations that generated code does inline: allocation, polls, write barriers
; and the stack check.
;
; The lowering links these functions into a module, replaces calls, and lets the inliner expand
; them. `ptr addrspace(1)` is a reference. `ptr addrspace(0)`, always spelled out, points to a word
; of the thread (SPGC_THREAD_FIELDS). Code for the JIT has the thread pointer's space in its place,
; if the processor has one (relative to %fs on x86-64). The address of each word comes from
; a generated accessor @spgc.thread.<name>; !2, the stack pointer, is generated, too.
;
; Invariant: the cursor is loaded as a reference, never as an integer, because an object must be its
; own base, and no integer may keep an address across a safepoint. The load is volatile, because a
; value forwarded from the store of an earlier allocation would make the new object a pointer
; derived from the earlier object, and relocated with that object.

declare ptr addrspace(1) @spgc_allocate_slow(ptr, i64)
declare void @spgc_poll_slow()
declare void @spgc_check_number(i64, ptr) "gc-leaf-function"
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i1 @llvm.is.constant.i64(i64)
declare i64 @llvm.read_register.i64(metadata)

; Slow allocations have an empty "deopt" bundle, to which the inliner appends that of the call it
; replaces.
;
; struct spgc_type: size at 0, element_size at 4.

define ptr addrspace(1) @spgc.allocate(ptr %type) alwaysinline {
entry:
  %size.word = load i32, ptr %type, align 8
  %size = zext i32 %size.word to i64
  %cursor = call ptr addrspace(0) @spgc.thread.cursor()
  %limit.word = call ptr addrspace(0) @spgc.thread.limit()
  %object = load volatile ptr addrspace(1), ptr addrspace(0) %cursor, align 8
  %limit = load ptr addrspace(1), ptr addrspace(0) %limit.word, align 8
  %end = getelementptr i8, ptr addrspace(1) %object, i64 %size
  %fits = icmp ule ptr addrspace(1) %end, %limit
  br i1 %fits, label %fast, label %slow, !prof !0

fast:
  store ptr addrspace(1) %end, ptr addrspace(0) %cursor, align 8
  br label %done

slow:
  %fresh = call ptr addrspace(1) @spgc_allocate_slow(ptr %type, i64 0) cold [ "deopt"() ]
  br label %done

; The header and the zeros are stored after the paths meet, although the slow path has stored them,
; so that the frontend's next stores through the same pointer cover the zeros, and dead-store
; elimination removes them.
done:
  %new = phi ptr addrspace(1) [ %object, %fast ], [ %fresh, %slow ]
  store ptr %type, ptr addrspace(1) %new, align 8
  %fields = getelementptr i8, ptr addrspace(1) %new, i64 8
  %fields.size = sub nuw i64 %size, 8
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %fields, i8 0, i64 %fields.size, i1 false)
  ret ptr addrspace(1) %new
}

; A length below 2^31 and an element size below 2^32 keep the bytes below 2^63, so the end is below
; 2^64.
define ptr addrspace(1) @spgc.allocate_array(ptr %type, i64 %length) alwaysinline {
entry:
  %size.word = load i32, ptr %type, align 8
  %size = zext i32 %size.word to i64
  %element.at = getelementptr i8, ptr %type, i64 4
  %element.word = load i32, ptr %element.at, align 4
  %element = zext i32 %element.word to i64
  %tail = mul i64 %length, %element
  %sum = add i64 %size, %tail
  %padded = add i64 %sum, 7
  %bytes = and i64 %padded, -8
  %rest.size = sub i64 %bytes, 16
  %small = icmp ult i64 %length, 2147483648
  %constant = call i1 @llvm.is.constant.i64(i64 %rest.size)
  %short = icmp ule i64 %rest.size, 1024
  %constant.short = and i1 %constant, %short
  %unrolled = and i1 %constant.short, %small
  br i1 %small, label %try, label %slow, !prof !0

try:
  %cursor = call ptr addrspace(0) @spgc.thread.cursor()
  %limit.word = call ptr addrspace(0) @spgc.thread.limit()
  %object = load volatile ptr addrspace(1), ptr addrspace(0) %cursor, align 8
  %limit = load ptr addrspace(1), ptr addrspace(0) %limit.word, align 8
  %end = getelementptr i8, ptr addrspace(1) %object, i64 %bytes
  %fits = icmp ule ptr addrspace(1) %end, %limit
  br i1 %fits, label %fast, label %slow, !prof !0

fast:
  store ptr addrspace(1) %end, ptr addrspace(0) %cursor, align 8
  store ptr %type, ptr addrspace(1) %object, align 8
  %length.at = getelementptr i8, ptr addrspace(1) %object, i64 8
  store i64 %length, ptr addrspace(1) %length.at, align 8
  br i1 %unrolled, label %meet, label %zero

zero:
  %rest = getelementptr i8, ptr addrspace(1) %object, i64 16
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %rest, i8 0, i64 %rest.size, i1 false)
  br label %meet

slow:
  %fresh = call ptr addrspace(1) @spgc_allocate_slow(ptr %type, i64 %length) cold [ "deopt"() ]
  br label %meet

; A short tail of known length is zeroed here, as in spgc.allocate; any other tail only on the fast
; path.
meet:
  %new = phi ptr addrspace(1) [ %object, %fast ], [ %object, %zero ], [ %fresh, %slow ]
  br i1 %unrolled, label %unroll, label %done

unroll:
  %elements = getelementptr i8, ptr addrspace(1) %new, i64 16
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %elements, i8 0, i64 %rest.size, i1 false)
  br label %done

done:
  ret ptr addrspace(1) %new
}

define void @spgc.poll() alwaysinline {
entry:
  %word = call ptr addrspace(0) @spgc.thread.poll()
  %poll = load atomic i64, ptr addrspace(0) %word monotonic, align 8
  %asked = icmp ne i64 %poll, 0
  br i1 %asked, label %stop, label %go, !prof !1

stop:
  call void @spgc_poll_slow() cold
  br label %go

go:
  ret void
}

; True when the stack pointer is below the limit that the language set for its thread.
define i1 @spgc.stack_low() alwaysinline {
  %word = call ptr addrspace(0) @spgc.thread.stack_limit()
  %limit = load i64, ptr addrspace(0) %word, align 8
  %sp = call i64 @llvm.read_register.i64(metadata !2)
  %low = icmp ult i64 %sp, %limit
  ret i1 %low
}

; Tests a number for the address of an object, under spgc_lower_options.check_numbers: a multiple of
; 8, in the user's half, and not small.
define void @spgc.check_number(i64 %number, ptr %place) alwaysinline "gc-leaf-function" {
  %other = and i64 %number, -140737488355321
  %is.aligned = icmp eq i64 %other, 0
  %is.large = icmp ugt i64 %number, 65535
  %may.be = and i1 %is.aligned, %is.large
  br i1 %may.be, label %look, label %done, !prof !1

look:
  call void @spgc_check_number(i64 %number, ptr %place)
  br label %done

done:
  ret void
}

; Card marking: the card of address a is the byte at cards + (a >> 7), and its group card that at
; group_cards + (a >> 13); dirty is 1. A group card that is dirty stays so until the next stop, and
; needs no store: threads would write to the same cache lines. The card itself is stored without a
; look, because in a large heap it is seldom in the cache: a store does not wait for it.
;
; The first eight stores to a group go to the store buffer, and the byte at (its first word) + (a >>
; 13) counts them; the next one makes the group card dirty. One byte is stored, whichever it is, so
; that there is no branch. The field's address is stored in any case, because the last word of the
; buffer's 2^17 bytes is scratch.

define void @spgc.barrier(ptr addrspace(1) %field) alwaysinline {
entry:
  %word = call ptr addrspace(0) @spgc.thread.cards()
  %cards = load ptr, ptr addrspace(0) %word, align 8
  %address = ptrtoint ptr addrspace(1) %field to i64
  %index = lshr i64 %address, 7
  %card = getelementptr i8, ptr %cards, i64 %index
  store atomic i8 1, ptr %card unordered, align 1
  %group.word = call ptr addrspace(0) @spgc.thread.group_cards()
  %group.cards = load ptr, ptr addrspace(0) %group.word, align 8
  %group = lshr i64 %address, 13
  %group.card = getelementptr i8, ptr %group.cards, i64 %group
  %state = load atomic i8, ptr %group.card unordered, align 1
  %dirty = icmp eq i8 %state, 1
  br i1 %dirty, label %done, label %note, !prof !0

note:
  %stores.word = call ptr addrspace(0) @spgc.thread.stores()
  %free = load i64, ptr addrspace(0) %stores.word, align 8
  %entry.place = inttoptr i64 %free to ptr
  store i64 %address, ptr %entry.place, align 8
  %buffer = and i64 %free, -131072
  %counts.word = inttoptr i64 %buffer to ptr
  %counts = load ptr, ptr %counts.word, align 8
  %count.place = getelementptr i8, ptr %counts, i64 %group
  %count = load atomic i8, ptr %count.place unordered, align 1
  %last = or disjoint i64 %buffer, 131064
  %has.space = icmp ne i64 %free, %last
  %few = icmp ult i8 %count, 8
  %add = and i1 %few, %has.space
  %next = add i64 %free, 8
  %free.now = select i1 %add, i64 %next, i64 %free
  store i64 %free.now, ptr addrspace(0) %stores.word, align 8
  %more = add i8 %count, 1
  %value = select i1 %add, i8 %more, i8 1
  %byte = select i1 %add, ptr %count.place, ptr %group.card
  store atomic i8 %value, ptr %byte unordered, align 1
  br label %done

done:
  ret void
}

; The same without a branch, for functions with so many barriers that as many blocks would take LLVM
; minutes.

define void @spgc.barrier_straight(ptr addrspace(1) %field) alwaysinline {
  %word = call ptr addrspace(0) @spgc.thread.cards()
  %cards = load ptr, ptr addrspace(0) %word, align 8
  %address = ptrtoint ptr addrspace(1) %field to i64
  %index = lshr i64 %address, 7
  %card = getelementptr i8, ptr %cards, i64 %index
  store atomic i8 1, ptr %card unordered, align 1
  %group.word = call ptr addrspace(0) @spgc.thread.group_cards()
  %group.cards = load ptr, ptr addrspace(0) %group.word, align 8
  %group = lshr i64 %address, 13
  %group.card = getelementptr i8, ptr %group.cards, i64 %group
  store atomic i8 1, ptr %group.card unordered, align 1
  ret void
}

define void @spgc.barrier_range(ptr addrspace(1) %first, i64 %bytes) alwaysinline {
entry:
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %done, label %mark

mark:
  %word = call ptr addrspace(0) @spgc.thread.cards()
  %cards = load ptr, ptr addrspace(0) %word, align 8
  %address = ptrtoint ptr addrspace(1) %first to i64
  %last = add i64 %bytes, -1
  %last.address = add i64 %address, %last
  %index = lshr i64 %address, 7
  %last.index = lshr i64 %last.address, 7
  %span = sub i64 %last.index, %index
  %count = add i64 %span, 1
  %card = getelementptr i8, ptr %cards, i64 %index
  call void @llvm.memset.p0.i64(ptr align 1 %card, i8 1, i64 %count, i1 false)
  %group.word = call ptr addrspace(0) @spgc.thread.group_cards()
  %group.cards = load ptr, ptr addrspace(0) %group.word, align 8
  %group = lshr i64 %address, 13
  %last.group = lshr i64 %last.address, 13
  %group.span = sub i64 %last.group, %group
  %group.count = add i64 %group.span, 1
  %group.card = getelementptr i8, ptr %group.cards, i64 %group
  call void @llvm.memset.p0.i64(ptr align 1 %group.card, i8 1, i64 %group.count, i1 false)
  br label %done

done:
  ret void
}

!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
