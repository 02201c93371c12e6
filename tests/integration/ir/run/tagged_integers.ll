; run: 40 = 2520
; Integers tagged in their low bit, in frames and in fields, that collide with the addresses of
; objects: they stay what they are while the objects move.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@cell.offsets = internal constant [1 x i32] [i32 8]
@cell = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @cell.offsets, i32 0, i32 0,
    ptr null, ptr null }
@collision = internal global i64 0

declare ptr addrspace(1) @spgc_allocate(ptr)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

; A number with low bits `tag` that lies in the object, as far as the program knows by chance.
define ptr addrspace(1) @tagged(ptr addrspace(1) %o, i64 %tag) noinline gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %o to i64
  %eighth = lshr i64 %address, 3 ; the lowering refuses to keep the address itself
  store volatile i64 %eighth, ptr @collision
  %read = load volatile i64, ptr @collision
  %number = shl i64 %read, 3
  %word = or i64 %number, %tag
  %immediate = inttoptr i64 %word to ptr addrspace(1)
  ret ptr addrspace(1) %immediate
}

; 1 if both words are still what they were before objects moved.
define i64 @keeps(ptr addrspace(1) %o, i64 %tag) noinline gc "statepoint-example" {
  %holder = call ptr addrspace(1) @make(i64 0)
  %word = call ptr addrspace(1) @tagged(ptr addrspace(1) %o, i64 %tag)
  %field = getelementptr i8, ptr addrspace(1) %holder, i64 8
  store ptr addrspace(1) %word, ptr addrspace(1) %field
  %eighth = load volatile i64, ptr @collision
  %before = shl i64 %eighth, 3
  %expected = or i64 %before, %tag
  %garbage = call ptr addrspace(1) @make(i64 1)
  %more = call ptr addrspace(1) @make(i64 2)
  %in.frame = ptrtoint ptr addrspace(1) %word to i64
  %loaded = load ptr addrspace(1), ptr addrspace(1) %field
  %in.field = ptrtoint ptr addrspace(1) %loaded to i64
  %first = icmp eq i64 %in.frame, %expected
  %second = icmp eq i64 %in.field, %expected
  %both = and i1 %first, %second
  %kept = zext i1 %both to i64
  ret i64 %kept
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %round.end ]
  %sum = phi i64 [ 0, %entry ], [ %total, %round.end ]
  %o = call ptr addrspace(1) @make(i64 %i)
  br label %round

round:
  %tag = phi i64 [ 1, %loop ], [ %tag.next, %round ]
  %count = phi i64 [ %sum, %loop ], [ %counted, %round ]
  %kept = call i64 @keeps(ptr addrspace(1) %o, i64 %tag)
  %worth = mul i64 %kept, 9
  %counted = add i64 %count, %worth
  %tag.next = add i64 %tag, 1
  %last = icmp eq i64 %tag.next, 8
  br i1 %last, label %round.end, label %round

round.end:
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %value = load i64, ptr addrspace(1) %at
  %difference = sub i64 %value, %i
  %total = add i64 %counted, %difference
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret i64 %total
}
