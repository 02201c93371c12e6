; The type of a point: 24 bytes, which are its header and two integers, and no references.
@point = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
         { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr @point.name }
@point.name = internal constant [6 x i8] c"point\00"

declare ptr addrspace(1) @spgc_allocate(ptr)
declare void @show(ptr addrspace(1)) ; these two are functions of main.c
declare void @collect()

define void @first() gc "statepoint-example" {
  %point = call ptr addrspace(1) @spgc_allocate(ptr @point)
  %x.at = getelementptr i8, ptr addrspace(1) %point, i64 8
  store i64 3, ptr addrspace(1) %x.at
  %y.at = getelementptr i8, ptr addrspace(1) %point, i64 16
  store i64 4, ptr addrspace(1) %y.at
  call void @show(ptr addrspace(1) %point)
  call void @collect()
  call void @show(ptr addrspace(1) %point)
  ret void
}
