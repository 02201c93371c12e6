; rejected: a word that is declared as a reference is read or written as a number
define swiftcc i64 @f(i64 %word, i64 %n) gc "statepoint-example" {
  %box = alloca { ptr addrspace(1) }
  store i64 %word, ptr %box
  %done = icmp eq i64 %n, 0
  br i1 %done, label %end, label %again
again:
  %passed = load i64, ptr %box
  %less = sub i64 %n, 1
  %result = musttail call swiftcc i64 @f(i64 %passed, i64 %less)
  ret i64 %result
end:
  %object = load ptr addrspace(1), ptr %box
  %value = load i64, ptr addrspace(1) %object
  ret i64 %value
}
