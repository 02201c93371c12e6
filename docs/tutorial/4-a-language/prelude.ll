; What every program of Nib begins with. A value is an integer 2n+1, true (2), nil (0), or an
; object.

; A pair: a header, the head and the tail.
@nib_pair = weak_odr constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
            { i32 24, i32 0, i32 2, i32 0, ptr null, i32 0, i32 0, ptr null, ptr @nib.pair.name }
; A closure: a header, how many values it captured, its code, how many arguments it takes, and then
; these values.
@nib_closure = weak_odr constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
               { i32 32, i32 8, i32 5, i32 0, ptr null, i32 0, i32 0, ptr null,
                 ptr @nib.closure.name }
@nib.pair.name = private constant [5 x i8] c"pair\00"
@nib.closure.name = private constant [8 x i8] c"closure\00"
@nib.no_integer = private constant [15 x i8] c"not an integer\00"
@nib.no_pair = private constant [11 x i8] c"not a pair\00"

declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)
declare i1 @spgc_stack_low()
; runtime.c
declare ptr addrspace(1) @nib_text(ptr, i64)
declare ptr addrspace(1) @nib_join(ptr addrspace(1), ptr addrspace(1))
declare ptr addrspace(1) @nib_words(ptr addrspace(1))
declare ptr addrspace(1) @nib_print(ptr addrspace(1)) "gc-leaf-function"
declare void @nib_wrong(ptr, ptr addrspace(1)) cold noreturn
declare void @nib_uncallable(ptr addrspace(1), i64) cold noreturn
declare void @nib_stack_full() cold noreturn

define internal void @nib.enter() alwaysinline gc "statepoint-example" {
  %is_low = call i1 @spgc_stack_low()
  br i1 %is_low, label %full, label %enter
full:
  call void @nib_stack_full()
  unreachable
enter:
  ret void
}

define internal i64 @nib.number(ptr addrspace(1) %value) alwaysinline gc "statepoint-example" {
  %word = ptrtoint ptr addrspace(1) %value to i64
  %bit = and i64 %word, 1
  %is_integer = icmp ne i64 %bit, 0
  br i1 %is_integer, label %right, label %wrong
right:
  %number = ashr i64 %word, 1
  ret i64 %number
wrong:
  call void @nib_wrong(ptr @nib.no_integer, ptr addrspace(1) %value)
  unreachable
}

; Arithmetic on null makes a value of a number that was computed.
define internal ptr addrspace(1) @nib.integer(i64 %number) alwaysinline
    gc "statepoint-example" {
  %twice = shl i64 %number, 1
  %word = or i64 %twice, 1
  %value = getelementptr i8, ptr addrspace(1) null, i64 %word
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.add(ptr addrspace(1) %a, ptr addrspace(1) %b) alwaysinline
    gc "statepoint-example" {
  %x = call i64 @nib.number(ptr addrspace(1) %a)
  %y = call i64 @nib.number(ptr addrspace(1) %b)
  %sum = add i64 %x, %y
  %value = call ptr addrspace(1) @nib.integer(i64 %sum)
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.subtract(ptr addrspace(1) %a, ptr addrspace(1) %b)
    alwaysinline gc "statepoint-example" {
  %x = call i64 @nib.number(ptr addrspace(1) %a)
  %y = call i64 @nib.number(ptr addrspace(1) %b)
  %difference = sub i64 %x, %y
  %value = call ptr addrspace(1) @nib.integer(i64 %difference)
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.multiply(ptr addrspace(1) %a, ptr addrspace(1) %b)
    alwaysinline gc "statepoint-example" {
  %x = call i64 @nib.number(ptr addrspace(1) %a)
  %y = call i64 @nib.number(ptr addrspace(1) %b)
  %product = mul i64 %x, %y
  %value = call ptr addrspace(1) @nib.integer(i64 %product)
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.truth(i1 %is_true) alwaysinline gc "statepoint-example" {
  %value = select i1 %is_true, ptr addrspace(1) inttoptr (i64 2 to ptr addrspace(1)),
                  ptr addrspace(1) null
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.less(ptr addrspace(1) %a, ptr addrspace(1) %b) alwaysinline
    gc "statepoint-example" {
  %x = call i64 @nib.number(ptr addrspace(1) %a)
  %y = call i64 @nib.number(ptr addrspace(1) %b)
  %is_less = icmp slt i64 %x, %y
  %value = call ptr addrspace(1) @nib.truth(i1 %is_less)
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.same(ptr addrspace(1) %a, ptr addrspace(1) %b) alwaysinline
    gc "statepoint-example" {
  %is_same = icmp eq ptr addrspace(1) %a, %b
  %value = call ptr addrspace(1) @nib.truth(i1 %is_same)
  ret ptr addrspace(1) %value
}

; Whether a value is an object of a type.
define internal i1 @nib.is(ptr addrspace(1) %value, ptr %type) alwaysinline
    gc "statepoint-example" {
  %word = ptrtoint ptr addrspace(1) %value to i64
  %tag = and i64 %word, 7
  %has_tag = icmp ne i64 %tag, 0
  %is_nil = icmp eq ptr addrspace(1) %value, null
  %is_immediate = or i1 %has_tag, %is_nil
  br i1 %is_immediate, label %immediate, label %object
immediate:
  ret i1 false
object:
  %header = load ptr, ptr addrspace(1) %value
  %has_type = icmp eq ptr %header, %type
  ret i1 %has_type
}

define internal ptr addrspace(1) @nib.cons(ptr addrspace(1) %head, ptr addrspace(1) %tail)
    alwaysinline gc "statepoint-example" {
  %pair = call ptr addrspace(1) @spgc_allocate(ptr @nib_pair)
  %head.at = getelementptr i8, ptr addrspace(1) %pair, i64 8
  store ptr addrspace(1) %head, ptr addrspace(1) %head.at
  %tail.at = getelementptr i8, ptr addrspace(1) %pair, i64 16
  store ptr addrspace(1) %tail, ptr addrspace(1) %tail.at
  ret ptr addrspace(1) %pair
}

define internal void @nib.want_pair(ptr addrspace(1) %value) alwaysinline
    gc "statepoint-example" {
  %is_pair = call i1 @nib.is(ptr addrspace(1) %value, ptr @nib_pair)
  br i1 %is_pair, label %right, label %wrong
right:
  ret void
wrong:
  call void @nib_wrong(ptr @nib.no_pair, ptr addrspace(1) %value)
  unreachable
}

define internal ptr addrspace(1) @nib.head(ptr addrspace(1) %pair) alwaysinline
    gc "statepoint-example" {
  call void @nib.want_pair(ptr addrspace(1) %pair)
  %head.at = getelementptr i8, ptr addrspace(1) %pair, i64 8
  %head = load ptr addrspace(1), ptr addrspace(1) %head.at
  ret ptr addrspace(1) %head
}

define internal ptr addrspace(1) @nib.tail(ptr addrspace(1) %pair) alwaysinline
    gc "statepoint-example" {
  call void @nib.want_pair(ptr addrspace(1) %pair)
  %tail.at = getelementptr i8, ptr addrspace(1) %pair, i64 16
  %tail = load ptr addrspace(1), ptr addrspace(1) %tail.at
  ret ptr addrspace(1) %tail
}

define internal ptr addrspace(1) @nib.set_head(ptr addrspace(1) %pair, ptr addrspace(1) %value)
    alwaysinline gc "statepoint-example" {
  call void @nib.want_pair(ptr addrspace(1) %pair)
  %head.at = getelementptr i8, ptr addrspace(1) %pair, i64 8
  store ptr addrspace(1) %value, ptr addrspace(1) %head.at
  ret ptr addrspace(1) %value
}

define internal ptr addrspace(1) @nib.closure(ptr %code, i64 %arguments, i64 %captured)
    alwaysinline gc "statepoint-example" {
  %closure = call ptr addrspace(1) @spgc_allocate_array(ptr @nib_closure, i64 %captured)
  %code.at = getelementptr i8, ptr addrspace(1) %closure, i64 16
  store ptr %code, ptr addrspace(1) %code.at
  %arguments.at = getelementptr i8, ptr addrspace(1) %closure, i64 24
  store i64 %arguments, ptr addrspace(1) %arguments.at
  ret ptr addrspace(1) %closure
}

; The code of a closure that takes so many arguments.
define internal ptr @nib.code(ptr addrspace(1) %closure, i64 %arguments) alwaysinline
    gc "statepoint-example" {
  %is_closure = call i1 @nib.is(ptr addrspace(1) %closure, ptr @nib_closure)
  br i1 %is_closure, label %function, label %wrong
function:
  %arguments.at = getelementptr i8, ptr addrspace(1) %closure, i64 24
  %wanted = load i64, ptr addrspace(1) %arguments.at
  %is_right = icmp eq i64 %wanted, %arguments
  br i1 %is_right, label %right, label %wrong
right:
  %code.at = getelementptr i8, ptr addrspace(1) %closure, i64 16
  %code = load ptr, ptr addrspace(1) %code.at
  ret ptr %code
wrong:
  call void @nib_uncallable(ptr addrspace(1) %closure, i64 %arguments)
  unreachable
}
