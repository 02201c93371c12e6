; run: 11 = 110
; Tail calls whose parameters fill several registers, or vector registers: each arrives whole, step
; after step, while the object that counts the steps moves. The result is the number of all steps,
; and 1000 for each parameter that did not arrive.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@cell = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@bytes = global [8 x i64] [i64 72340172838076673, i64 144680345676153346, i64 217020518514230019,
    i64 289360691352306692, i64 361700864190383365, i64 434041037028460038, i64 506381209866536711,
    i64 578721382704613384]

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @memcmp(ptr, ptr, i64)

; A new object with the old one's number and one more.
define ptr addrspace(1) @successor(ptr addrspace(1) %object) noinline gc "statepoint-example" {
  %new = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  %number = load i64, ptr addrspace(1) %field
  %more = add i64 %number, 1
  %new.field = getelementptr i8, ptr addrspace(1) %new, i64 8
  store i64 %more, ptr addrspace(1) %new.field
  ret ptr addrspace(1) %new
}

define i64 @number(ptr addrspace(1) %object) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  %number = load i64, ptr addrspace(1) %field
  ret i64 %number
}

; 1000 unless the first bytes are those of @bytes.
define i64 @differ(ptr %copy, i64 %size) noinline gc "statepoint-example" {
  %order = call i32 @memcmp(ptr %copy, ptr @bytes, i64 %size)
  %differ = icmp ne i32 %order, 0
  %number = select i1 %differ, i64 1000, i64 0
  ret i64 %number
}

@step.0.at = global ptr @step.0
@step.1.at = global ptr @step.1
@step.2.at = global ptr @step.2
@step.3.at = global ptr @step.3
@step.4.at = global ptr @step.4
@step.5.at = global ptr @step.5
@step.6.at = global ptr @step.6
@step.7.at = global ptr @step.7
@step.8.at = global ptr @step.8
@step.9.at = global ptr @step.9

define internal i64 @step.0(ptr addrspace(1) %o, i64 %n, i128 %x0,
    [2 x i64] %x1) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.0.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, i128 %x0, [2 x i64] %x1)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca i128
  store i128 %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 16)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca [2 x i64]
  store [2 x i64] %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 16)
  %sum.1 = add i64 %sum.0, %differ.1
  ret i64 %sum.1
}

define i64 @start.0(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load i128, ptr @bytes, align 1
  %x1 = load [2 x i64], ptr @bytes, align 1
  %r = call i64 @step.0(ptr addrspace(1) %o, i64 %n, i128 %x0, [2 x i64] %x1)
  ret i64 %r
}

define internal i64 @step.1(ptr addrspace(1) %o, i64 %n, i256 %x0) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.1.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, i256 %x0)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca i256
  store i256 %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 32)
  %sum.0 = add i64 %steps, %differ.0
  ret i64 %sum.0
}

define i64 @start.1(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load i256, ptr @bytes, align 1
  %r = call i64 @step.1(ptr addrspace(1) %o, i64 %n, i256 %x0)
  ret i64 %r
}

define internal i64 @step.2(ptr addrspace(1) %o, i64 %n,
    { i64, { i32, i32, i64 } } %x0) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.2.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, { i64, { i32, i32, i64 } } %x0)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca { i64, { i32, i32, i64 } }
  store { i64, { i32, i32, i64 } } %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 24)
  %sum.0 = add i64 %steps, %differ.0
  ret i64 %sum.0
}

define i64 @start.2(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load { i64, { i32, i32, i64 } }, ptr @bytes, align 1
  %r = call i64 @step.2(ptr addrspace(1) %o, i64 %n, { i64, { i32, i32, i64 } } %x0)
  ret i64 %r
}

define internal i64 @step.3(ptr addrspace(1) %o, i64 %n, <1 x i64> %x0,
    [3 x <1 x i32>] %x1) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.3.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, <1 x i64> %x0,
      [3 x <1 x i32>] %x1)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca <1 x i64>
  store <1 x i64> %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 8)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca [3 x <1 x i32>]
  store [3 x <1 x i32>] %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 12)
  %sum.1 = add i64 %sum.0, %differ.1
  ret i64 %sum.1
}

define i64 @start.3(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load <1 x i64>, ptr @bytes, align 1
  %x1 = load [3 x <1 x i32>], ptr @bytes, align 1
  %r = call i64 @step.3(ptr addrspace(1) %o, i64 %n, <1 x i64> %x0, [3 x <1 x i32>] %x1)
  ret i64 %r
}

define internal i64 @step.4(ptr addrspace(1) %o, i64 %n, <2 x double> %x0, <4 x float> %x1,
    <16 x i8> %x2, [2 x <8 x i16>] %x3, <4 x i32> %x4, <2 x ptr> %x5,
    fp128 %x6) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.4.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, <2 x double> %x0,
      <4 x float> %x1, <16 x i8> %x2, [2 x <8 x i16>] %x3, <4 x i32> %x4, <2 x ptr> %x5,
    fp128 %x6)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca <2 x double>
  store <2 x double> %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 16)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca <4 x float>
  store <4 x float> %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 16)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca <16 x i8>
  store <16 x i8> %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 16)
  %sum.2 = add i64 %sum.1, %differ.2
  %copy.3 = alloca [2 x <8 x i16>]
  store [2 x <8 x i16>] %x3, ptr %copy.3
  %differ.3 = call i64 @differ(ptr %copy.3, i64 32)
  %sum.3 = add i64 %sum.2, %differ.3
  %copy.4 = alloca <4 x i32>
  store <4 x i32> %x4, ptr %copy.4
  %differ.4 = call i64 @differ(ptr %copy.4, i64 16)
  %sum.4 = add i64 %sum.3, %differ.4
  %copy.5 = alloca <2 x ptr>
  store <2 x ptr> %x5, ptr %copy.5
  %differ.5 = call i64 @differ(ptr %copy.5, i64 16)
  %sum.5 = add i64 %sum.4, %differ.5
  %copy.6 = alloca fp128
  store fp128 %x6, ptr %copy.6
  %differ.6 = call i64 @differ(ptr %copy.6, i64 16)
  %sum.6 = add i64 %sum.5, %differ.6
  ret i64 %sum.6
}

define i64 @start.4(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load <2 x double>, ptr @bytes, align 1
  %x1 = load <4 x float>, ptr @bytes, align 1
  %x2 = load <16 x i8>, ptr @bytes, align 1
  %x3 = load [2 x <8 x i16>], ptr @bytes, align 1
  %x4 = load <4 x i32>, ptr @bytes, align 1
  %x5 = load <2 x ptr>, ptr @bytes, align 1
  %x6 = load fp128, ptr @bytes, align 1
  %r = call i64 @step.4(ptr addrspace(1) %o, i64 %n, <2 x double> %x0, <4 x float> %x1,
      <16 x i8> %x2, [2 x <8 x i16>] %x3, <4 x i32> %x4, <2 x ptr> %x5, fp128 %x6)
  ret i64 %r
}

define internal i64 @step.5(ptr addrspace(1) %o, i64 %n, half %x0, float %x1, double %x2,
    <8 x i16> %x3, <2 x float> %x4, <4 x i16> %x5, <2 x i16> %x6,
    <2 x i8> %x7) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.5.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, half %x0, float %x1,
      double %x2, <8 x i16> %x3, <2 x float> %x4, <4 x i16> %x5, <2 x i16> %x6, <2 x i8> %x7)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca half
  store half %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 2)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca float
  store float %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 4)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca double
  store double %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 8)
  %sum.2 = add i64 %sum.1, %differ.2
  %copy.3 = alloca <8 x i16>
  store <8 x i16> %x3, ptr %copy.3
  %differ.3 = call i64 @differ(ptr %copy.3, i64 16)
  %sum.3 = add i64 %sum.2, %differ.3
  %copy.4 = alloca <2 x float>
  store <2 x float> %x4, ptr %copy.4
  %differ.4 = call i64 @differ(ptr %copy.4, i64 8)
  %sum.4 = add i64 %sum.3, %differ.4
  %copy.5 = alloca <4 x i16>
  store <4 x i16> %x5, ptr %copy.5
  %differ.5 = call i64 @differ(ptr %copy.5, i64 8)
  %sum.5 = add i64 %sum.4, %differ.5
  %copy.6 = alloca <2 x i16>
  store <2 x i16> %x6, ptr %copy.6
  %differ.6 = call i64 @differ(ptr %copy.6, i64 4)
  %sum.6 = add i64 %sum.5, %differ.6
  %copy.7 = alloca <2 x i8>
  store <2 x i8> %x7, ptr %copy.7
  %differ.7 = call i64 @differ(ptr %copy.7, i64 2)
  %sum.7 = add i64 %sum.6, %differ.7
  ret i64 %sum.7
}

define i64 @start.5(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load half, ptr @bytes, align 1
  %x1 = load float, ptr @bytes, align 1
  %x2 = load double, ptr @bytes, align 1
  %x3 = load <8 x i16>, ptr @bytes, align 1
  %x4 = load <2 x float>, ptr @bytes, align 1
  %x5 = load <4 x i16>, ptr @bytes, align 1
  %x6 = load <2 x i16>, ptr @bytes, align 1
  %x7 = load <2 x i8>, ptr @bytes, align 1
  %r = call i64 @step.5(ptr addrspace(1) %o, i64 %n, half %x0, float %x1, double %x2,
      <8 x i16> %x3, <2 x float> %x4, <4 x i16> %x5, <2 x i16> %x6, <2 x i8> %x7)
  ret i64 %r
}

define internal i64 @step.6(ptr addrspace(1) %o, i64 %n, <4 x double> %x0, <8 x i64> %x1,
    [2 x double] %x2) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.6.at
  %r = musttail call i64 %step(ptr addrspace(1) %next, i64 %rest, <4 x double> %x0,
      <8 x i64> %x1, [2 x double] %x2)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca <4 x double>
  store <4 x double> %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 32)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca <8 x i64>
  store <8 x i64> %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 64)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca [2 x double]
  store [2 x double] %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 16)
  %sum.2 = add i64 %sum.1, %differ.2
  ret i64 %sum.2
}

define i64 @start.6(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load <4 x double>, ptr @bytes, align 1
  %x1 = load <8 x i64>, ptr @bytes, align 1
  %x2 = load [2 x double], ptr @bytes, align 1
  %r = call i64 @step.6(ptr addrspace(1) %o, i64 %n, <4 x double> %x0, <8 x i64> %x1,
      [2 x double] %x2)
  ret i64 %r
}

define internal fastcc i64 @step.7(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
    <2 x double> %x2, half %x3) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.7.at
  %r = musttail call fastcc i64 %step(ptr addrspace(1) %next, i64 %rest, i128 %x0, i128 %x1,
      <2 x double> %x2, half %x3)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca i128
  store i128 %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 16)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca i128
  store i128 %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 16)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca <2 x double>
  store <2 x double> %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 16)
  %sum.2 = add i64 %sum.1, %differ.2
  %copy.3 = alloca half
  store half %x3, ptr %copy.3
  %differ.3 = call i64 @differ(ptr %copy.3, i64 2)
  %sum.3 = add i64 %sum.2, %differ.3
  ret i64 %sum.3
}

define i64 @start.7(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load i128, ptr @bytes, align 1
  %x1 = load i128, ptr @bytes, align 1
  %x2 = load <2 x double>, ptr @bytes, align 1
  %x3 = load half, ptr @bytes, align 1
  %r = call fastcc i64 @step.7(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
      <2 x double> %x2, half %x3)
  ret i64 %r
}

define internal tailcc i64 @step.8(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
    <2 x double> %x2, half %x3) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.8.at
  %r = musttail call tailcc i64 %step(ptr addrspace(1) %next, i64 %rest, i128 %x0, i128 %x1,
      <2 x double> %x2, half %x3)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca i128
  store i128 %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 16)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca i128
  store i128 %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 16)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca <2 x double>
  store <2 x double> %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 16)
  %sum.2 = add i64 %sum.1, %differ.2
  %copy.3 = alloca half
  store half %x3, ptr %copy.3
  %differ.3 = call i64 @differ(ptr %copy.3, i64 2)
  %sum.3 = add i64 %sum.2, %differ.3
  ret i64 %sum.3
}

define i64 @start.8(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load i128, ptr @bytes, align 1
  %x1 = load i128, ptr @bytes, align 1
  %x2 = load <2 x double>, ptr @bytes, align 1
  %x3 = load half, ptr @bytes, align 1
  %r = call tailcc i64 @step.8(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
      <2 x double> %x2, half %x3)
  ret i64 %r
}

define internal swifttailcc i64 @step.9(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
    <2 x double> %x2, half %x3) gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = call ptr addrspace(1) @successor(ptr addrspace(1) %o)
  %rest = sub i64 %n, 1
  %step = load volatile ptr, ptr @step.9.at
  %r = musttail call swifttailcc i64 %step(ptr addrspace(1) %next, i64 %rest, i128 %x0,
      i128 %x1, <2 x double> %x2, half %x3)
  ret i64 %r
done:
  %steps = call i64 @number(ptr addrspace(1) %o)
  %copy.0 = alloca i128
  store i128 %x0, ptr %copy.0
  %differ.0 = call i64 @differ(ptr %copy.0, i64 16)
  %sum.0 = add i64 %steps, %differ.0
  %copy.1 = alloca i128
  store i128 %x1, ptr %copy.1
  %differ.1 = call i64 @differ(ptr %copy.1, i64 16)
  %sum.1 = add i64 %sum.0, %differ.1
  %copy.2 = alloca <2 x double>
  store <2 x double> %x2, ptr %copy.2
  %differ.2 = call i64 @differ(ptr %copy.2, i64 16)
  %sum.2 = add i64 %sum.1, %differ.2
  %copy.3 = alloca half
  store half %x3, ptr %copy.3
  %differ.3 = call i64 @differ(ptr %copy.3, i64 2)
  %sum.3 = add i64 %sum.2, %differ.3
  ret i64 %sum.3
}

define i64 @start.9(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %x0 = load i128, ptr @bytes, align 1
  %x1 = load i128, ptr @bytes, align 1
  %x2 = load <2 x double>, ptr @bytes, align 1
  %x3 = load half, ptr @bytes, align 1
  %r = call swifttailcc i64 @step.9(ptr addrspace(1) %o, i64 %n, i128 %x0, i128 %x1,
      <2 x double> %x2, half %x3)
  ret i64 %r
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %r.0 = call i64 @start.0(i64 %n)
  %r.1 = call i64 @start.1(i64 %n)
  %sum.1 = add i64 %r.0, %r.1
  %r.2 = call i64 @start.2(i64 %n)
  %sum.2 = add i64 %sum.1, %r.2
  %r.3 = call i64 @start.3(i64 %n)
  %sum.3 = add i64 %sum.2, %r.3
  %r.4 = call i64 @start.4(i64 %n)
  %sum.4 = add i64 %sum.3, %r.4
  %r.5 = call i64 @start.5(i64 %n)
  %sum.5 = add i64 %sum.4, %r.5
  %r.6 = call i64 @start.6(i64 %n)
  %sum.6 = add i64 %sum.5, %r.6
  %r.7 = call i64 @start.7(i64 %n)
  %sum.7 = add i64 %sum.6, %r.7
  %r.8 = call i64 @start.8(i64 %n)
  %sum.8 = add i64 %sum.7, %r.8
  %r.9 = call i64 @start.9(i64 %n)
  %sum.9 = add i64 %sum.8, %r.9
  ret i64 %sum.9
}
