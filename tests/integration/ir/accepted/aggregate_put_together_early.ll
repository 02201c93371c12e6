declare void @unknown()
declare void @take({ ptr addrspace(1), i64, [2 x ptr addrspace(1)] })

define { ptr addrspace(1), i64, [2 x ptr addrspace(1)] } @f(ptr addrspace(1) %a,
    ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  %pair.0 = insertvalue [2 x ptr addrspace(1)] poison, ptr addrspace(1) %a, 0
  %pair = insertvalue [2 x ptr addrspace(1)] %pair.0, ptr addrspace(1) %b, 1
  %whole.0 = insertvalue { ptr addrspace(1), i64, [2 x ptr addrspace(1)] } poison,
  ptr addrspace(1) %b, 0
  %whole.1 = insertvalue { ptr addrspace(1), i64, [2 x ptr addrspace(1)] } %whole.0, i64 7, 1
  %whole = insertvalue { ptr addrspace(1), i64, [2 x ptr addrspace(1)] } %whole.1,
  [2 x ptr addrspace(1)] %pair, 2
  call void @unknown()
  br i1 %c, label %more, label %end

more:
  call void @take({ ptr addrspace(1), i64, [2 x ptr addrspace(1)] } %whole)
  br label %end

end:
  ret { ptr addrspace(1), i64, [2 x ptr addrspace(1)] } %whole
}
