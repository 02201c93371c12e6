; rejected: an interior pointer is passed
declare void @unknown(ptr addrspace(1))

define void @f(ptr addrspace(1) %object, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %inner, label %join
inner:
  %field = getelementptr i8, ptr addrspace(1) %object, i64 16
  br label %join
join:
  %p = phi ptr addrspace(1) [ %object, %entry ], [ %field, %inner ]
  call void @unknown(ptr addrspace(1) %p)
  ret void
}
