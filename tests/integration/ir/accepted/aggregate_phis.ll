; What LLVM joins into phis and selects of structures: results of compare-and-swap and of invokes,
; nested structures.
declare ptr @spgc_personality(...)
declare void @visit(ptr addrspace(1))
declare { ptr addrspace(1), { i64, ptr addrspace(1) } } @nested(i64)

define ptr addrspace(1) @swapped(ptr addrspace(1) %o, ptr addrspace(1) %new,
    i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %one, label %two
one:
  %a = cmpxchg ptr addrspace(1) %o, ptr addrspace(1) null, ptr addrspace(1) %new seq_cst seq_cst
  br label %join
two:
  %field = getelementptr i8, ptr addrspace(1) %o, i64 8
  %b = cmpxchg ptr addrspace(1) %field, ptr addrspace(1) null, ptr addrspace(1) %new seq_cst seq_cst
  br label %join
join:
  %p = phi { ptr addrspace(1), i1 } [ %a, %one ], [ %b, %two ]
  %old = extractvalue { ptr addrspace(1), i1 } %p, 0
  %done = extractvalue { ptr addrspace(1), i1 } %p, 1
  call void @visit(ptr addrspace(1) %new)
  %r = select i1 %done, ptr addrspace(1) %old, ptr addrspace(1) %new
  ret ptr addrspace(1) %r
}

define ptr addrspace(1) @invoked(i32 %c, ptr addrspace(1) %o) gc "statepoint-example" personality
    ptr @spgc_personality {
entry:
  %first = call { ptr addrspace(1), { i64, ptr addrspace(1) } } @nested(i64 0)
  switch i32 %c, label %one [ i32 2, label %join
                              i32 3, label %join ]
one:
  %a = invoke { ptr addrspace(1), { i64, ptr addrspace(1) } } @nested(i64 1) to label %join
  unwind label %pad
join:
  %p = phi { ptr addrspace(1), { i64, ptr addrspace(1) } } [ %a, %one ], [ %first, %entry ],
  [ %first, %entry ]
  %inner = extractvalue { ptr addrspace(1), { i64, ptr addrspace(1) } } %p, 1, 1
  call void @visit(ptr addrspace(1) %inner)
  ret ptr addrspace(1) %inner
pad:
  %token = landingpad token cleanup
  ret ptr addrspace(1) %o
}

; Round a loop, and of itself.
define ptr addrspace(1) @looped(i64 %n) gc "statepoint-example" {
entry:
  %first = call { ptr addrspace(1), { i64, ptr addrspace(1) } } @nested(i64 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %p = phi { ptr addrspace(1), { i64, ptr addrspace(1) } } [ %first, %entry ], [ %s, %again ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %one, label %again
one:
  br label %again
again:
  %q = phi { ptr addrspace(1), { i64, ptr addrspace(1) } } [ %p, %loop ], [ %first, %one ]
  %s = select i1 %odd, { ptr addrspace(1), { i64, ptr addrspace(1) } } %p,
  { ptr addrspace(1), { i64, ptr addrspace(1) } } %q
  %x = extractvalue { ptr addrspace(1), { i64, ptr addrspace(1) } } %s, 0
  call void @visit(ptr addrspace(1) %x)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret ptr addrspace(1) %x
}
