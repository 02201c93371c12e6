; rejected: a musttail call with arguments on the stack
; Seven words.
declare void @next({ ptr addrspace(1), i64 }, [2 x { i64, i32 }], i64)

define void @f({ ptr addrspace(1), i64 } %x0, [2 x { i64, i32 }] %x1, i64 %x2)
    gc "statepoint-example" {
  musttail call void @next({ ptr addrspace(1), i64 } %x0, [2 x { i64, i32 }] %x1, i64 %x2)
  ret void
}
