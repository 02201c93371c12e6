; Blocks that nothing reaches, in which values are computed from themselves.
declare ptr addrspace(1) @make()
declare void @take(ptr addrspace(1))
declare i32 @spgc_personality(...)

define ptr addrspace(1) @f(ptr addrspace(1) %object, i64 %c) gc "statepoint-example"
    personality ptr @spgc_personality {
  %made = call ptr addrspace(1) @make()
  br label %end

dead:
  %p = getelementptr i8, ptr addrspace(1) %p, i64 8
  store i64 0, ptr addrspace(1) %p
  %a = getelementptr i8, ptr addrspace(1) %b, i64 8
  %b = select i1 true, ptr addrspace(1) %e, ptr addrspace(1) %a
  %e = freeze ptr addrspace(1) %b
  %n = add i64 %n, 1
  %word = load i64, ptr addrspace(1) %b
  call void @take(ptr addrspace(1) %object)
  br i1 true, label %dead, label %end

thrown:
  %result = invoke ptr addrspace(1) @make() to label %dead unwind label %pad

pad:
  %token = landingpad token cleanup
  br label %end

end:
  %which = phi ptr addrspace(1) [ %made, %0 ], [ %object, %dead ], [ %object, %pad ]
  ret ptr addrspace(1) %which
}

define void @without_gc(ptr %memory) noinline optnone {
  ret void

dead:
  %p = getelementptr i8, ptr %q, i64 8
  %q = getelementptr i8, ptr %r, i64 8
  %r = freeze ptr %p
  store i64 0, ptr %q
  br label %dead
}
