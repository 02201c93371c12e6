; Each call makes the structure that it passes on. No copy of the function may pass its own on.
declare ptr addrspace(1) @make(i64)
declare i64 @number(ptr addrspace(1))
define i64 @walk({ ptr addrspace(1), i64 } %pair, i64 %n) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %a = extractvalue { ptr addrspace(1), i64 } %pair, 0
  %rest = sub i64 %n, 1
  %x = call ptr addrspace(1) @make(i64 %n)
  %pair.a = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %x, 0
  %pair.i = insertvalue { ptr addrspace(1), i64 } %pair.a, i64 %rest, 1
  %l = call i64 @walk({ ptr addrspace(1), i64 } %pair.i, i64 %rest)
  %k = call i64 @number(ptr addrspace(1) %a)
  %s = add i64 %l, %k
  ret i64 %s
done:
  ret i64 1
}
