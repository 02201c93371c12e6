; A choice between two structures is one between their parts.
declare { ptr addrspace(1), i64 } @pair()
declare { ptr addrspace(1), i64 } @other_pair()

define { ptr addrspace(1), i64 } @f(i1 %c, ptr addrspace(1) %r) gc "statepoint-example" {
entry:
  br i1 %c, label %one, label %two
one:
  %a = call { ptr addrspace(1), i64 } @pair()
  br label %join
two:
  %b = call { ptr addrspace(1), i64 } @other_pair()
  br label %join
join:
  %p = phi { ptr addrspace(1), i64 } [ %a, %one ], [ %b, %two ]
  ret { ptr addrspace(1), i64 } %p
}
