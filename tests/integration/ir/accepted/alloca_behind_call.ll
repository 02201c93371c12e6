; An alloca of constant size in the entry block has one place in each frame, wherever in the block
; it is.
declare void @unknown()
declare void @fill(ptr)
declare i64 @sum(ptr byval({ ptr addrspace(1), i64 }) align 8)

%pair = type { ptr addrspace(1), i64 }

define ptr addrspace(1) @f(i64 %n, ptr byval(%pair) align 8 %parameter) gc "statepoint-example" {
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
  ret ptr addrspace(1) %result
}
