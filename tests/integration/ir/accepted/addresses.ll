; Casts, orders, tags and boxed numbers.
declare void @collect()

define i64 @distance(ptr addrspace(1) %object, i64 %index) gc "statepoint-example" {
  %element = getelementptr i64, ptr addrspace(1) %object, i64 %index
  call void @collect()
  %from = ptrtoint ptr addrspace(1) %object to i64
  %to = ptrtoint ptr addrspace(1) %element to i64
  %distance = sub i64 %to, %from
  ret i64 %distance
}

define i1 @below(ptr addrspace(1) %left, ptr addrspace(1) %right) gc "statepoint-example" {
  %below = icmp ult ptr addrspace(1) %left, %right
  ret i1 %below
}

define ptr addrspace(1) @there_and_back(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  %same = inttoptr i64 %address to ptr addrspace(1)
  call void @collect()
  ret ptr addrspace(1) %same
}

define i32 @narrow(ptr addrspace(1) %object) gc "statepoint-example" {
  %hash = ptrtoint ptr addrspace(1) %object to i32
  ret i32 %hash
}

define i128 @wide(ptr addrspace(1) %object) gc "statepoint-example" {
  %hash = ptrtoint ptr addrspace(1) %object to i128
  ret i128 %hash
}

define ptr addrspace(1) @tag(ptr addrspace(1) %object) gc "statepoint-example" {
  %address = ptrtoint ptr addrspace(1) %object to i64
  call void @collect()
  %tag = and i64 %address, 7
  %immediate = inttoptr i64 %tag to ptr addrspace(1)
  ret ptr addrspace(1) %immediate
}

define double @number(ptr addrspace(1) %boxed) gc "statepoint-example" {
  %word = ptrtoint ptr addrspace(1) %boxed to i64
  %bits = sub i64 %word, 562949953421312
  %number = bitcast i64 %bits to double
  ret double %number
}
