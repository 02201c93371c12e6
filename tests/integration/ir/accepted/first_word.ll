; Address arithmetic that adds nothing leaves an object's own address: zero in each lane, elements
; without a size, a member that lies where the structure begins.
declare void @take(ptr addrspace(1))
declare void @take_both(<2 x ptr addrspace(1)>)

define void @f(ptr addrspace(1) %o, <2 x ptr addrspace(1)> %both, i64 %n) gc "statepoint-example" {
  %empty = getelementptr {}, ptr addrspace(1) %o, i64 %n
  call void @take(ptr addrspace(1) %empty)
  %empties = getelementptr [5 x [3 x {}]], ptr addrspace(1) %o, i64 %n, i64 1, i64 %n
  call void @take(ptr addrspace(1) %empties)
  %tail = getelementptr [0 x i64], ptr addrspace(1) %o, i64 %n
  call void @take(ptr addrspace(1) %tail)
  %second = getelementptr { {}, i64 }, ptr addrspace(1) %o, i64 0, i32 1
  call void @take(ptr addrspace(1) %second)
  %lanes = getelementptr i8, ptr addrspace(1) %o, <2 x i64> zeroinitializer
  call void @take_both(<2 x ptr addrspace(1)> %lanes)
  %members = getelementptr { {}, { {}, i64 } }, <2 x ptr addrspace(1)> %both,
      <2 x i64> zeroinitializer, <2 x i32> <i32 1, i32 1>, i32 1
  call void @take_both(<2 x ptr addrspace(1)> %members)
  ret void
}
