; rejected: an interior pointer is passed
declare void @unknown()

define internal i64 @walk(ptr addrspace(1) %at, i64 %n) alwaysinline gc "statepoint-example" {
entry:
  %done = icmp eq i64 %n, 0
  br i1 %done, label %out, label %more
more:
  call void @unknown()
  %next = getelementptr i8, ptr addrspace(1) %at, i64 8
  %left = sub i64 %n, 1
  %sum = call i64 @walk(ptr addrspace(1) %next, i64 %left)
  ret i64 %sum
out:
  ret i64 0
}

define i64 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %sum = call i64 @walk(ptr addrspace(1) %object, i64 4)
  ret i64 %sum
}
