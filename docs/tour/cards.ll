; struct spgc_type: a card has 16 bytes, a header and a number, and no references.
@card = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
        { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr @card.name }
@card.name = internal constant [5 x i8] c"card\00"

declare ptr addrspace(1) @spgc_allocate(ptr)
; Functions of C: one asks for a minor collection, one adds the numbers of the cards.
declare void @collect()
declare i64 @points(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr addrspace(1),
                    ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"

define ptr addrspace(1) @deal(i64 %number) noinline gc "statepoint-example" {
  %card = call ptr addrspace(1) @spgc_allocate(ptr @card)
  %number.at = getelementptr i8, ptr addrspace(1) %card, i64 8
  store i64 %number, ptr addrspace(1) %number.at
  ret ptr addrspace(1) %card
}

define i64 @play() gc "statepoint-example" {
  %one = call ptr addrspace(1) @deal(i64 1)
  %two = call ptr addrspace(1) @deal(i64 2)
  %three = call ptr addrspace(1) @deal(i64 3)
  %four = call ptr addrspace(1) @deal(i64 4)
  %five = call ptr addrspace(1) @deal(i64 5)
  %six = call ptr addrspace(1) @deal(i64 6)
  %seven = call ptr addrspace(1) @deal(i64 7)
  call void @collect()
  %points = call i64 @points(ptr addrspace(1) %one, ptr addrspace(1) %two, ptr addrspace(1) %three,
                             ptr addrspace(1) %four, ptr addrspace(1) %five, ptr addrspace(1) %six,
                             ptr addrspace(1) %seven)
  ret i64 %points
}
