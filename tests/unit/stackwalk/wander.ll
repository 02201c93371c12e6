; Recursion that the test of watermarks steers from C: what each frame does next is what @act
; answers.

declare i64 @act(i64)
declare i64 @call_managed(ptr, ptr addrspace(1), i64)
declare i64 @call_catching(ptr, ptr addrspace(1), i64)

; 0 returns, 1 calls the next frame, 2 calls it through C, 3 through C that can be jumped back to.
; Each return of a frame adds its object's first word.
define i64 @wander(ptr addrspace(1) %object, i64 %depth) uwtable(sync) gc "statepoint-example" {
entry:
  %deeper = add i64 %depth, 1
  br label %again

again:
  %sum = phi i64 [ 0, %entry ], [ %sum.direct, %direct ], [ %sum.c, %through.c ],
  [ %sum.catching, %catching ]
  %action = call i64 @act(i64 %depth)
  switch i64 %action, label %return [
    i64 1, label %direct
    i64 2, label %through.c
    i64 3, label %catching
  ]

direct:
  %x = call i64 @wander(ptr addrspace(1) %object, i64 %deeper)
  %sum.direct = add i64 %sum, %x
  br label %again

through.c:
  %y = call i64 @call_managed(ptr @wander, ptr addrspace(1) %object, i64 %deeper)
  %sum.c = add i64 %sum, %y
  br label %again

catching:
  %z = call i64 @call_catching(ptr @wander, ptr addrspace(1) %object, i64 %deeper)
  %sum.catching = add i64 %sum, %z
  br label %again

return:
  %value = load i64, ptr addrspace(1) %object
  %total = add i64 %sum, %value
  ret i64 %total
}

; Results in rax and rdx.
define { i64, i64 } @dive_pair(ptr addrspace(1) %object,
    i64 %depth) uwtable(sync) gc "statepoint-example" {
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %stop, label %deeper

stop:
  %unused = call i64 @act(i64 0)
  ret { i64, i64 } { i64 1, i64 10 }

deeper:
  %next = sub i64 %depth, 1
  %below = call { i64, i64 } @dive_pair(ptr addrspace(1) %object, i64 %next)
  %a = extractvalue { i64, i64 } %below, 0
  %b = extractvalue { i64, i64 } %below, 1
  %value = load i64, ptr addrspace(1) %object
  %a.more = add i64 %a, %value
  %b.more = add i64 %b, 1
  %first = insertvalue { i64, i64 } poison, i64 %a.more, 0
  %both = insertvalue { i64, i64 } %first, i64 %b.more, 1
  ret { i64, i64 } %both
}

; Results in xmm0 and xmm1.
define { double, double } @dive_doubles(ptr addrspace(1) %object,
    i64 %depth) uwtable(sync) gc "statepoint-example" {
  %bottom = icmp eq i64 %depth, 0
  br i1 %bottom, label %stop, label %deeper

stop:
  %unused = call i64 @act(i64 0)
  ret { double, double } { double 1.5, double 0.25 }

deeper:
  %next = sub i64 %depth, 1
  %below = call { double, double } @dive_doubles(ptr addrspace(1) %object, i64 %next)
  %a = extractvalue { double, double } %below, 0
  %b = extractvalue { double, double } %below, 1
  %value = load i64, ptr addrspace(1) %object
  %number = sitofp i64 %value to double
  %a.more = fadd double %a, %number
  %b.more = fadd double %b, 1.0
  %first = insertvalue { double, double } poison, double %a.more, 0
  %both = insertvalue { double, double } %first, double %b.more, 1
  ret { double, double } %both
}
