; run: 30 = 90
; The variable's type does not show the references. The one array holds them at indices that nobody
; knows, and the words beside it hold the addresses of garbage as numbers. Each round gives 3.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
%row = type { i64, [4 x ptr addrspace(1)], [4 x i64] }

@node = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define internal i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 -1)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %value = load i64, ptr addrspace(1) %at
  ret i64 %value
}

define internal i64 @garbage() noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 -1)
  %address = ptrtoint ptr addrspace(1) %o to i64
  %number = or i64 %address, 1
  ret i64 %number
}

define internal i64 @round(i64 %i) noinline gc "statepoint-example" {
  %row = alloca %row
  %first = call i64 @garbage()
  store i64 %first, ptr %row
  %here = and i64 %i, 3
  %before = add i64 %i, 3
  %there = and i64 %before, 3
  %references = getelementptr %row, ptr %row, i64 0, i32 1
  %numbers = getelementptr %row, ptr %row, i64 0, i32 2
  %number.at = getelementptr [4 x i64], ptr %numbers, i64 0, i64 %here
  %number = call i64 @garbage()
  store i64 %number, ptr %number.at
  %at = getelementptr [4 x ptr addrspace(1)], ptr %references, i64 0, i64 %here
  %one = call ptr addrspace(1) @make(i64 1)
  store ptr addrspace(1) %one, ptr %at
  %next = getelementptr [4 x ptr addrspace(1)], ptr %references, i64 0, i64 %there
  %two = call ptr addrspace(1) @make(i64 2)
  store ptr addrspace(1) %two, ptr %next
  %more = call ptr addrspace(1) @make(i64 -1)
  %a = load ptr addrspace(1), ptr %at
  %a.value = call i64 @value(ptr addrspace(1) %a)
  %b = load ptr addrspace(1), ptr %next
  %b.value = call i64 @value(ptr addrspace(1) %b)
  %first.now = load i64, ptr %row
  %number.now = load i64, ptr %number.at
  %change.of.first = sub i64 %first.now, %first
  %change.of.number = sub i64 %number.now, %number
  %sum = add i64 %a.value, %b.value
  %change = or i64 %change.of.first, %change.of.number
  %result = sub i64 %sum, %change
  ret i64 %result
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %got = call i64 @round(i64 %i)
  %sum.next = add i64 %sum, %got
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum.next
}
