; Statepoints with references in slots, deopt values of every size, a derived reference.

declare void @collect() gc "statepoint-example"
declare ptr addrspace(1) @make(i64) gc "statepoint-example"

define i64 @derived(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) gc "statepoint-example" {
  %first = getelementptr i64, ptr addrspace(1) %a, i64 %n
  %second = getelementptr i64, ptr addrspace(1) %a, i64 3
  %odd = trunc i64 %n to i1
  %interior = select i1 %odd, ptr addrspace(1) %first, ptr addrspace(1) %second
  call void @collect() ["deopt"(i64 %n, i64 -1, i64 81985529216486895, i32 7, ptr addrspace(1) %b)]
  %x = load i64, ptr addrspace(1) %interior
  %y = load i64, ptr addrspace(1) %b
  %sum = add i64 %x, %y
  ret i64 %sum
}

define ptr addrspace(1) @many(ptr addrspace(1) %a, ptr addrspace(1) %b,
    ptr addrspace(1) %c) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %kept = phi ptr addrspace(1) [%a, %entry], [%made, %loop]
  %made = call ptr addrspace(1) @make(i64 %i)
  call void @collect() #0
  store ptr addrspace(1) %kept, ptr addrspace(1) %made
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %done
done:
  call void @collect()
  store ptr addrspace(1) %b, ptr addrspace(1) %made
  store ptr addrspace(1) %c, ptr addrspace(1) %made
  ret ptr addrspace(1) %made
}

attributes #0 = { "statepoint-id"="18446744073709551615" }
