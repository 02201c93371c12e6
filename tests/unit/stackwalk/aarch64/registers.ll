; Eleven references live across calls, one for each register that may hold them, and functions that
; sign their return addresses.

declare void @collect()
declare i64 @call_managed(ptr, ptr addrspace(1), i64)

; References of an object, from word 1 on.
define i64 @sum_of_eleven(ptr addrspace(1) %array, i64 %unused) uwtable(sync)
    gc "statepoint-example" {
  %p1 = getelementptr i8, ptr addrspace(1) %array, i64 8
  %p2 = getelementptr i8, ptr addrspace(1) %array, i64 16
  %p3 = getelementptr i8, ptr addrspace(1) %array, i64 24
  %p4 = getelementptr i8, ptr addrspace(1) %array, i64 32
  %p5 = getelementptr i8, ptr addrspace(1) %array, i64 40
  %p6 = getelementptr i8, ptr addrspace(1) %array, i64 48
  %p7 = getelementptr i8, ptr addrspace(1) %array, i64 56
  %p8 = getelementptr i8, ptr addrspace(1) %array, i64 64
  %p9 = getelementptr i8, ptr addrspace(1) %array, i64 72
  %p10 = getelementptr i8, ptr addrspace(1) %array, i64 80
  %p11 = getelementptr i8, ptr addrspace(1) %array, i64 88
  %r1 = load ptr addrspace(1), ptr addrspace(1) %p1
  %r2 = load ptr addrspace(1), ptr addrspace(1) %p2
  %r3 = load ptr addrspace(1), ptr addrspace(1) %p3
  %r4 = load ptr addrspace(1), ptr addrspace(1) %p4
  %r5 = load ptr addrspace(1), ptr addrspace(1) %p5
  %r6 = load ptr addrspace(1), ptr addrspace(1) %p6
  %r7 = load ptr addrspace(1), ptr addrspace(1) %p7
  %r8 = load ptr addrspace(1), ptr addrspace(1) %p8
  %r9 = load ptr addrspace(1), ptr addrspace(1) %p9
  %r10 = load ptr addrspace(1), ptr addrspace(1) %p10
  %r11 = load ptr addrspace(1), ptr addrspace(1) %p11
  call void @collect()
  call void @collect()
  %v1 = load i64, ptr addrspace(1) %r1
  %v2 = load i64, ptr addrspace(1) %r2
  %v3 = load i64, ptr addrspace(1) %r3
  %v4 = load i64, ptr addrspace(1) %r4
  %v5 = load i64, ptr addrspace(1) %r5
  %v6 = load i64, ptr addrspace(1) %r6
  %v7 = load i64, ptr addrspace(1) %r7
  %v8 = load i64, ptr addrspace(1) %r8
  %v9 = load i64, ptr addrspace(1) %r9
  %v10 = load i64, ptr addrspace(1) %r10
  %v11 = load i64, ptr addrspace(1) %r11
  %s2 = add i64 %v1, %v2
  %s3 = add i64 %s2, %v3
  %s4 = add i64 %s3, %v4
  %s5 = add i64 %s4, %v5
  %s6 = add i64 %s5, %v6
  %s7 = add i64 %s6, %v7
  %s8 = add i64 %s7, %v8
  %s9 = add i64 %s8, %v9
  %s10 = add i64 %s9, %v10
  %s11 = add i64 %s10, %v11
  ret i64 %s11
}

; Frames that sign their return addresses, `left` of them, the last one calling eleven's function;
; every third calls on through C.
define i64 @signed_sum(ptr addrspace(1) %array, i64 %left) uwtable(sync)
    "sign-return-address"="non-leaf" gc "statepoint-example" {
  %is.last = icmp eq i64 %left, 0
  br i1 %is.last, label %last, label %more

last:
  %sum = call i64 @sum_of_eleven(ptr addrspace(1) %array, i64 0)
  br label %done

more:
  %rest = sub i64 %left, 1
  %third = urem i64 %left, 3
  %through.c = icmp eq i64 %third, 0
  br i1 %through.c, label %c, label %direct

c:
  %from.c = call i64 @call_managed(ptr @signed_sum, ptr addrspace(1) %array, i64 %rest)
  br label %done

direct:
  %from.direct = call i64 @signed_sum(ptr addrspace(1) %array, i64 %rest)
  br label %done

done:
  %result = phi i64 [ %sum, %last ], [ %from.c, %c ], [ %from.direct, %direct ]
  %value = load i64, ptr addrspace(1) %array
  %total = add i64 %result, %value
  ret i64 %total
}
