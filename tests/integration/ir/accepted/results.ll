; A leaf may return more than fits registers, and so may a function that vanishes.
; LLVM knows sinl and makes no statepoint of it.
declare i256 @wide(i64)
declare x86_fp80 @sinl(x86_fp80)
declare void @unknown()

define internal { i64, i64, i64, i64 } @vanishes(i64 %n) alwaysinline gc "statepoint-example" {
  call void @unknown()
  %all = insertvalue { i64, i64, i64, i64 } zeroinitializer, i64 %n, 3
  ret { i64, i64, i64, i64 } %all
}

define i64 @f(ptr addrspace(1) %object, i64 %n, ptr %out) gc "statepoint-example" {
  %leaf = call i256 @wide(i64 %n) "gc-leaf-function"
  store i256 %leaf, ptr %out
  %sine = call x86_fp80 @sinl(x86_fp80 0xK3FFF8000000000000000)
  store x86_fp80 %sine, ptr %out
  %all = call { i64, i64, i64, i64 } @vanishes(i64 %n)
  %last = extractvalue { i64, i64, i64, i64 } %all, 3
  %word = load i64, ptr addrspace(1) %object
  %sum = add i64 %last, %word
  ret i64 %sum
}
