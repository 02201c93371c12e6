; A structure whose part is read before the next safepoint, in a block of many safepoints.
declare ptr addrspace(1) @make()
declare i64 @look({ ptr addrspace(1), i64 })
declare { ptr addrspace(1), i64 } @pair()

define i64 @f() gc "statepoint-example" {
  %pair = call { ptr addrspace(1), i64 } @pair()
  %part = extractvalue { ptr addrspace(1), i64 } %pair, 0
  %seen = call i64 @look({ ptr addrspace(1), i64 } %pair)
  %o1 = call ptr addrspace(1) @make()
  %o2 = call ptr addrspace(1) @make()
  %o3 = call ptr addrspace(1) @make()
  %o4 = call ptr addrspace(1) @make()
  %o5 = call ptr addrspace(1) @make()
  %o6 = call ptr addrspace(1) @make()
  %o7 = call ptr addrspace(1) @make()
  %o8 = call ptr addrspace(1) @make()
  %o9 = call ptr addrspace(1) @make()
  %o10 = call ptr addrspace(1) @make()
  %o11 = call ptr addrspace(1) @make()
  %o12 = call ptr addrspace(1) @make()
  %o13 = call ptr addrspace(1) @make()
  %o14 = call ptr addrspace(1) @make()
  %o15 = call ptr addrspace(1) @make()
  %o16 = call ptr addrspace(1) @make()
  ret i64 %seen
}
