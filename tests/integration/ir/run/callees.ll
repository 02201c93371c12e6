; run: 7 = 128
; Indirect calls whose callees come out of structures. Each calls @second, the second part, which
; gives 8 for 7; @first would give 14.
@node = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
    { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }
@pair = global { ptr, ptr } { ptr @first, ptr @second }
@words = global { i64, i64 } { i64 ptrtoint (ptr @first to i64), i64 ptrtoint (ptr @second to i64) }
@callee = global ptr @second

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)
declare ptr @llvm.launder.invariant.group.p0(ptr)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %n, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}

define i64 @first(ptr %environment, i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @box(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %x = load i64, ptr addrspace(1) %at
  %y = mul i64 %x, 2
  ret i64 %y
}

define i64 @second(ptr %environment, i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @box(i64 %n)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  %x = load i64, ptr addrspace(1) %at
  %y = add i64 %x, 1
  ret i64 %y
}

define { ptr, ptr } @make() noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @box(i64 0)
  %pair = load volatile { ptr, ptr }, ptr @pair
  ret { ptr, ptr } %pair
}

define { ptr, ptr } @make_leaf() noinline "gc-leaf-function" {
  %pair = load volatile { ptr, ptr }, ptr @pair
  ret { ptr, ptr } %pair
}

define { ptr addrspace(1), ptr } @make_closure() noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %code = load volatile ptr, ptr @callee
  %a = insertvalue { ptr addrspace(1), ptr } poison, ptr addrspace(1) %o, 0
  %b = insertvalue { ptr addrspace(1), ptr } %a, ptr %code, 1
  ret { ptr addrspace(1), ptr } %b
}

define i64 @of_result(i64 %n) noinline gc "statepoint-example" {
  %pair = call { ptr, ptr } @make()
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_leaf(i64 %n) noinline gc "statepoint-example" {
  %pair = call { ptr, ptr } @make_leaf()
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_closure(i64 %n) noinline gc "statepoint-example" {
  %closure = call { ptr addrspace(1), ptr } @make_closure()
  %environment = extractvalue { ptr addrspace(1), ptr } %closure, 0
  %code = extractvalue { ptr addrspace(1), ptr } %closure, 1
  %at = getelementptr i8, ptr addrspace(1) %environment, i64 8
  store i64 %n, ptr addrspace(1) %at
  %r = call i64 %code(ptr null, i64 %n)
  %m = load i64, ptr addrspace(1) %at
  %same = icmp eq i64 %m, %n
  %s = select i1 %same, i64 %r, i64 1000
  ret i64 %s
}

define i64 @of_load(i64 %n) noinline gc "statepoint-example" {
  %pair = load volatile { ptr, ptr }, ptr @pair
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_parameter({ ptr, ptr } %pair, i64 %n) noinline gc "statepoint-example" {
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_invoke(i64 %n) noinline gc "statepoint-example" personality ptr @spgc_personality {
  %pair = invoke { ptr, ptr } @make()
      to label %normal unwind label %failed

normal:
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = invoke i64 %code(ptr null, i64 %n)
      to label %done unwind label %failed

done:
  ret i64 %r

failed:
  %pad = landingpad token
      cleanup
  ret i64 1000
}

define i64 @of_exchange(i64 %n) noinline gc "statepoint-example" {
  %old = cmpxchg ptr @callee, ptr @first, ptr @first seq_cst seq_cst
  %code = extractvalue { ptr, i1 } %old, 0
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_number(i64 %n) noinline gc "statepoint-example" {
  %words = load volatile { i64, i64 }, ptr @words
  %word = extractvalue { i64, i64 } %words, 1
  %code = inttoptr i64 %word to ptr
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_choice(i64 %n) noinline gc "statepoint-example" {
  %pair = load volatile { ptr, ptr }, ptr @pair
  %a = extractvalue { ptr, ptr } %pair, 0
  %b = extractvalue { ptr, ptr } %pair, 1
  %odd = trunc i64 %n to i1
  %code = select i1 %odd, ptr %b, ptr %a
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_copy(i64 %n) noinline gc "statepoint-example" {
  %pair = load volatile { ptr, ptr }, ptr @pair
  %a = extractvalue { ptr, ptr } %pair, 1
  %b = freeze ptr %a
  %c = getelementptr i8, ptr %b, i64 0
  %code = call ptr @llvm.launder.invariant.group.p0(ptr %c)
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_vector(i64 %n) noinline gc "statepoint-example" {
  %vector = load volatile <2 x ptr>, ptr @pair, align 8
  %code = extractelement <2 x ptr> %vector, i64 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_element(i64 %n) noinline gc "statepoint-example" {
  %array = load volatile [2 x ptr], ptr @pair
  %code = extractvalue [2 x ptr] %array, 1
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

define i64 @of_nested(i64 %n) noinline gc "statepoint-example" {
  %structure = load volatile { [1 x ptr], { ptr } }, ptr @pair
  %code = extractvalue { [1 x ptr], { ptr } } %structure, 1, 0
  %r = call i64 %code(ptr null, i64 %n)
  ret i64 %r
}

; A leaf with deopt state is a statepoint, too, and so is one in a function without gc.
define i64 @leaf_second(ptr %environment, i64 %x) noinline "gc-leaf-function" {
  %y = add i64 %x, 1
  ret i64 %y
}

@leaf_pair = global { ptr, ptr } { ptr @first, ptr @leaf_second }

define i64 @of_state(i64 %n) noinline gc "statepoint-example" {
  %pair = load volatile { ptr, ptr }, ptr @leaf_pair
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n) "gc-leaf-function" [ "deopt"(i64 %n) ]
  ret i64 %r
}

define i64 @without_gc(i64 %n) noinline "gc-leaf-function" {
  %pair = load volatile { ptr, ptr }, ptr @leaf_pair
  %code = extractvalue { ptr, ptr } %pair, 1
  %r = call i64 %code(ptr null, i64 %n) "gc-leaf-function" [ "deopt"(i64 %n) ]
  ret i64 %r
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %pair = load volatile { ptr, ptr }, ptr @pair
  %r1 = call i64 @of_result(i64 %n)
  %r2 = call i64 @of_leaf(i64 %n)
  %r3 = call i64 @of_closure(i64 %n)
  %r4 = call i64 @of_load(i64 %n)
  %r5 = call i64 @of_parameter({ ptr, ptr } %pair, i64 %n)
  %r6 = call i64 @of_invoke(i64 %n)
  %r7 = call i64 @of_exchange(i64 %n)
  %r8 = call i64 @of_number(i64 %n)
  %r9 = call i64 @of_choice(i64 %n)
  %r10 = call i64 @of_copy(i64 %n)
  %r11 = call i64 @of_vector(i64 %n)
  %r12 = call i64 @of_element(i64 %n)
  %r13 = call i64 @of_nested(i64 %n)
  %r14 = call i64 @of_state(i64 %n)
  %r15 = call i64 @without_gc(i64 %n)
  %r16 = call i64 @second(ptr null, i64 %n)
  %s2 = add i64 %r1, %r2
  %s3 = add i64 %s2, %r3
  %s4 = add i64 %s3, %r4
  %s5 = add i64 %s4, %r5
  %s6 = add i64 %s5, %r6
  %s7 = add i64 %s6, %r7
  %s8 = add i64 %s7, %r8
  %s9 = add i64 %s8, %r9
  %s10 = add i64 %s9, %r10
  %s11 = add i64 %s10, %r11
  %s12 = add i64 %s11, %r12
  %s13 = add i64 %s12, %r13
  %s14 = add i64 %s13, %r14
  %s15 = add i64 %s14, %r15
  %s16 = add i64 %s15, %r16
  ret i64 %s16
}
