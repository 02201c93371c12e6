; rejected: is allocated outside the function's first block
declare i1 @fill(ptr)

define void @f() gc "statepoint-example" {
entry:
  br label %loop
loop:
  %variable = alloca ptr addrspace(1)
  %more = call i1 @fill(ptr %variable)
  br i1 %more, label %loop, label %done
done:
  ret void
}
