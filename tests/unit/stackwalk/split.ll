; Calls itself with two references in each frame, on a stack that grows by stacklets.
declare void @collect()
define i64 @dive_split(ptr addrspace(1) %a, ptr addrspace(1) %b,
    i64 %depth) noinline "split-stack" uwtable(sync) gc "statepoint-example" {
entry:
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %stop, label %deeper
stop:
  call void @collect()
  ret i64 0
deeper:
  %depth.next = sub i64 %depth, 1
  %below = call i64 @dive_split(ptr addrspace(1) %b, ptr addrspace(1) %a, i64 %depth.next)
  %x = load i64, ptr addrspace(1) %a
  %y = load i64, ptr addrspace(1) %b
  %xy = add i64 %x, %y
  %sum = add i64 %xy, %below
  ret i64 %sum
}
