; Numbers live in the registers that calls preserve for them (d8 to d15 on AArch64), across a call
; that is left by spgc_unwind and whose frames have saved and overwritten those registers.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

@box = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @spgc_personality(...)
declare i64 @leave(i64)

define double @overwrite(double %x, i64 %depth) noinline "disable-tail-calls"="true"
    gc "statepoint-example" {
  %object = call ptr addrspace(1) @spgc_allocate(ptr @box)
  call void asm sideeffect "", "~{d8},~{d9},~{d10},~{d11},~{d12},~{d13},~{d14},~{d15}"()
    "gc-leaf-function"
  %a = fadd double %x, 1.0
  %b = fmul double %x, 3.0
  %is.last = icmp eq i64 %depth, 0
  br i1 %is.last, label %last, label %more

last:
  %left = call i64 @leave(i64 0)
  br label %done

more:
  %rest = sub i64 %depth, 1
  %y = call double @overwrite(double %a, i64 %rest)
  br label %done

done:
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  store double %b, ptr addrspace(1) %field
  %sum = fadd double %a, %b
  ret double %sum
}

; 2 + 3 + ... + 9 times x, of numbers that were computed before the call.
define i64 @keep_numbers(i64 %n) gc "statepoint-example" personality ptr @spgc_personality {
  %x = sitofp i64 %n to double
  %n2 = fmul double %x, 2.0
  %n3 = fmul double %x, 3.0
  %n4 = fmul double %x, 4.0
  %n5 = fmul double %x, 5.0
  %n6 = fmul double %x, 6.0
  %n7 = fmul double %x, 7.0
  %n8 = fmul double %x, 8.0
  %n9 = fmul double %x, 9.0
  %r = invoke double @overwrite(double %x, i64 7) to label %normal unwind label %caught

normal:
  ret i64 -1

caught:
  %pad = landingpad token catch ptr null
  %s3 = fadd double %n2, %n3
  %s4 = fadd double %s3, %n4
  %s5 = fadd double %s4, %n5
  %s6 = fadd double %s5, %n6
  %s7 = fadd double %s6, %n7
  %s8 = fadd double %s7, %n8
  %s9 = fadd double %s8, %n9
  %sum = fptosi double %s9 to i64
  ret i64 %sum
}
