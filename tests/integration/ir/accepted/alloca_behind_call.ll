; An alloca of constant size in the entry block has one place in each frame, wherever in the block
; it is.
declare void @unknown()
declare void @fill(ptr)

%pair = type { ptr addrspace(1), i64 }

define void @f(ptr sret(%pair) align 8 %parameter, i64 %n, ptr %out) gc "statepoint-example" {
entry:
  call void @unknown()
  %local = alloca ptr addrspace(1), align 8
  call void @fill(ptr %local)
  %array = alloca %pair, i64 4, align 8
  call void @fill(ptr %array)
  call void @fill(ptr %parameter)
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @unknown()
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  %result = load ptr addrspace(1), ptr %local, align 8
  store ptr addrspace(1) %result, ptr %out, align 8
  ret void
}
