; run: 40 = 40
; Results that fill the registers for results, of statepoints: each comes back whole. The result is
; the argument, which an object keeps meanwhile, and the number of those that do not.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }

%vectors = type { <2 x double>, <2 x double> }
%mixture = type { i64, i64, i64, double, <2 x i64> }

@cell = internal constant %spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@bytes = global [8 x i64] [i64 72340172838076673, i64 144680345676153346, i64 217020518514230019,
    i64 289360691352306692, i64 361700864190383365, i64 434041037028460038, i64 506381209866536711,
    i64 578721382704613384]

@kept = global ptr addrspace(1) null
@garbage = global ptr addrspace(1) null

declare ptr addrspace(1) @spgc_allocate(ptr)
declare i32 @memcmp(ptr, ptr, i64)
declare i32 @spgc_personality(...)

; 1 unless the first bytes are those of @bytes.
define i64 @differ(ptr %copy, i64 %size) noinline gc "statepoint-example" {
  %order = call i32 @memcmp(ptr %copy, ptr @bytes, i64 %size)
  %differ = icmp ne i32 %order, 0
  %number = zext i1 %differ to i64
  ret i64 %number
}

define internal i128 @give.0() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load i128, ptr @bytes, align 1
  ret i128 %value
}

define i64 @take.0() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call i128 @give.0()
  store i128 %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal { i64, i64 } @give.1.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { i64, i64 }, ptr @bytes, align 1
  ret { i64, i64 } %value
}

define i64 @take.1.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke { i64, i64 } @give.1.invoked()
      to label %normal unwind label %handler

normal:
  store { i64, i64 } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal { i64, i64, i64 } @give.2() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { i64, i64, i64 }, ptr @bytes, align 1
  ret { i64, i64, i64 } %value
}

define i64 @take.2() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call { i64, i64, i64 } @give.2()
  store { i64, i64, i64 } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 24)
  ret i64 %differ
}

define internal [3 x i64] @give.3.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [3 x i64], ptr @bytes, align 1
  ret [3 x i64] %value
}

define i64 @take.3.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke [3 x i64] @give.3.invoked()
      to label %normal unwind label %handler

normal:
  store [3 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 24)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal { ptr, i64 } @give.4() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { ptr, i64 }, ptr @bytes, align 1
  ret { ptr, i64 } %value
}

define i64 @take.4() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call { ptr, i64 } @give.4()
  store { ptr, i64 } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal double @give.5.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load double, ptr @bytes, align 1
  ret double %value
}

define i64 @take.5.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke double @give.5.invoked()
      to label %normal unwind label %handler

normal:
  store double %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 8)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal float @give.6() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load float, ptr @bytes, align 1
  ret float %value
}

define i64 @take.6() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call float @give.6()
  store float %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 4)
  ret i64 %differ
}

define internal half @give.7.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load half, ptr @bytes, align 1
  ret half %value
}

define i64 @take.7.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke half @give.7.invoked()
      to label %normal unwind label %handler

normal:
  store half %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 2)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal fp128 @give.8() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load fp128, ptr @bytes, align 1
  ret fp128 %value
}

define i64 @take.8() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call fp128 @give.8()
  store fp128 %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal { double, double } @give.9.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { double, double }, ptr @bytes, align 1
  ret { double, double } %value
}

define i64 @take.9.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke { double, double } @give.9.invoked()
      to label %normal unwind label %handler

normal:
  store { double, double } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal { i64, double } @give.10() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { i64, double }, ptr @bytes, align 1
  ret { i64, double } %value
}

define i64 @take.10() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call { i64, double } @give.10()
  store { i64, double } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal { double, i64 } @give.11.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { double, i64 }, ptr @bytes, align 1
  ret { double, i64 } %value
}

define i64 @take.11.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke { double, i64 } @give.11.invoked()
      to label %normal unwind label %handler

normal:
  store { double, i64 } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal { <2 x float>, float } @give.12() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load { <2 x float>, float }, ptr @bytes, align 1
  ret { <2 x float>, float } %value
}

define i64 @take.12() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call { <2 x float>, float } @give.12()
  store { <2 x float>, float } %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 12)
  ret i64 %differ
}

define internal <2 x double> @give.13.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <2 x double>, ptr @bytes, align 1
  ret <2 x double> %value
}

define i64 @take.13.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke <2 x double> @give.13.invoked()
      to label %normal unwind label %handler

normal:
  store <2 x double> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal <4 x float> @give.14() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <4 x float>, ptr @bytes, align 1
  ret <4 x float> %value
}

define i64 @take.14() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call <4 x float> @give.14()
  store <4 x float> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal <2 x float> @give.15.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <2 x float>, ptr @bytes, align 1
  ret <2 x float> %value
}

define i64 @take.15.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke <2 x float> @give.15.invoked()
      to label %normal unwind label %handler

normal:
  store <2 x float> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 8)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal <8 x float> @give.16() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <8 x float>, ptr @bytes, align 1
  ret <8 x float> %value
}

define i64 @take.16() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call <8 x float> @give.16()
  store <8 x float> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 32)
  ret i64 %differ
}

define internal <8 x i16> @give.17.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <8 x i16>, ptr @bytes, align 1
  ret <8 x i16> %value
}

define i64 @take.17.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke <8 x i16> @give.17.invoked()
      to label %normal unwind label %handler

normal:
  store <8 x i16> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal <16 x i8> @give.18() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <16 x i8>, ptr @bytes, align 1
  ret <16 x i8> %value
}

define i64 @take.18() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call <16 x i8> @give.18()
  store <16 x i8> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ
}

define internal <4 x i32> @give.19.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <4 x i32>, ptr @bytes, align 1
  ret <4 x i32> %value
}

define i64 @take.19.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke <4 x i32> @give.19.invoked()
      to label %normal unwind label %handler

normal:
  store <4 x i32> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 16)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal <4 x i64> @give.20() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load <4 x i64>, ptr @bytes, align 1
  ret <4 x i64> %value
}

define i64 @take.20() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call <4 x i64> @give.20()
  store <4 x i64> %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 32)
  ret i64 %differ
}

define internal %vectors @give.21.invoked() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load %vectors, ptr @bytes, align 1
  ret %vectors %value
}

define i64 @take.21.invoked() noinline gc "statepoint-example" personality ptr @spgc_personality {
  %copy = alloca [64 x i8], align 16
  %value = invoke %vectors @give.21.invoked()
      to label %normal unwind label %handler

normal:
  store %vectors %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 32)
  ret i64 %differ

handler:
  %pad = landingpad token cleanup
  ret i64 1
}

define internal %mixture @give.22() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load %mixture, ptr @bytes, align 1
  ret %mixture %value
}

define i64 @take.22() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call %mixture @give.22()
  store %mixture %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 48)
  ret i64 %differ
}

define internal fastcc [3 x i64] @give.23.fastcc() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [3 x i64], ptr @bytes, align 1
  ret [3 x i64] %value
}

define i64 @take.23.fastcc() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call fastcc [3 x i64] @give.23.fastcc()
  store [3 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 24)
  ret i64 %differ
}

define internal tailcc [3 x i64] @give.23.tailcc() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [3 x i64], ptr @bytes, align 1
  ret [3 x i64] %value
}

define i64 @take.23.tailcc() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call tailcc [3 x i64] @give.23.tailcc()
  store [3 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 24)
  ret i64 %differ
}

define internal x86_64_sysvcc [3 x i64] @give.23.x86_64_sysvcc() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [3 x i64], ptr @bytes, align 1
  ret [3 x i64] %value
}

define i64 @take.23.x86_64_sysvcc() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call x86_64_sysvcc [3 x i64] @give.23.x86_64_sysvcc()
  store [3 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 24)
  ret i64 %differ
}

define internal swiftcc [4 x i64] @give.24.swiftcc() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [4 x i64], ptr @bytes, align 1
  ret [4 x i64] %value
}

define i64 @take.24.swiftcc() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call swiftcc [4 x i64] @give.24.swiftcc()
  store [4 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 32)
  ret i64 %differ
}

define internal swifttailcc [4 x i64] @give.24.swifttailcc() noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  store volatile ptr addrspace(1) %garbage, ptr @garbage
  %value = load [4 x i64], ptr @bytes, align 1
  ret [4 x i64] %value
}

define i64 @take.24.swifttailcc() noinline gc "statepoint-example" {
  %copy = alloca [64 x i8], align 16
  %value = call swifttailcc [4 x i64] @give.24.swifttailcc()
  store [4 x i64] %value, ptr %copy, align 1
  %differ = call i64 @differ(ptr %copy, i64 32)
  ret i64 %differ
}

define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %kept = call ptr addrspace(1) @spgc_allocate(ptr @cell)
  %kept.at = getelementptr i8, ptr addrspace(1) %kept, i64 8
  store i64 %n, ptr addrspace(1) %kept.at
  store volatile ptr addrspace(1) %kept, ptr @kept
  %differ.0 = call i64 @take.0()
  %sum.0 = add i64 0, %differ.0
  %differ.1 = call i64 @take.1.invoked()
  %sum.1 = add i64 %sum.0, %differ.1
  %differ.2 = call i64 @take.2()
  %sum.2 = add i64 %sum.1, %differ.2
  %differ.3 = call i64 @take.3.invoked()
  %sum.3 = add i64 %sum.2, %differ.3
  %differ.4 = call i64 @take.4()
  %sum.4 = add i64 %sum.3, %differ.4
  %differ.5 = call i64 @take.5.invoked()
  %sum.5 = add i64 %sum.4, %differ.5
  %differ.6 = call i64 @take.6()
  %sum.6 = add i64 %sum.5, %differ.6
  %differ.7 = call i64 @take.7.invoked()
  %sum.7 = add i64 %sum.6, %differ.7
  %differ.8 = call i64 @take.8()
  %sum.8 = add i64 %sum.7, %differ.8
  %differ.9 = call i64 @take.9.invoked()
  %sum.9 = add i64 %sum.8, %differ.9
  %differ.10 = call i64 @take.10()
  %sum.10 = add i64 %sum.9, %differ.10
  %differ.11 = call i64 @take.11.invoked()
  %sum.11 = add i64 %sum.10, %differ.11
  %differ.12 = call i64 @take.12()
  %sum.12 = add i64 %sum.11, %differ.12
  %differ.13 = call i64 @take.13.invoked()
  %sum.13 = add i64 %sum.12, %differ.13
  %differ.14 = call i64 @take.14()
  %sum.14 = add i64 %sum.13, %differ.14
  %differ.15 = call i64 @take.15.invoked()
  %sum.15 = add i64 %sum.14, %differ.15
  %differ.16 = call i64 @take.16()
  %sum.16 = add i64 %sum.15, %differ.16
  %differ.17 = call i64 @take.17.invoked()
  %sum.17 = add i64 %sum.16, %differ.17
  %differ.18 = call i64 @take.18()
  %sum.18 = add i64 %sum.17, %differ.18
  %differ.19 = call i64 @take.19.invoked()
  %sum.19 = add i64 %sum.18, %differ.19
  %differ.20 = call i64 @take.20()
  %sum.20 = add i64 %sum.19, %differ.20
  %differ.21 = call i64 @take.21.invoked()
  %sum.21 = add i64 %sum.20, %differ.21
  %differ.22 = call i64 @take.22()
  %sum.22 = add i64 %sum.21, %differ.22
  %differ.23 = call i64 @take.23.fastcc()
  %sum.23 = add i64 %sum.22, %differ.23
  %differ.24 = call i64 @take.23.tailcc()
  %sum.24 = add i64 %sum.23, %differ.24
  %differ.25 = call i64 @take.23.x86_64_sysvcc()
  %sum.25 = add i64 %sum.24, %differ.25
  %differ.26 = call i64 @take.24.swiftcc()
  %sum.26 = add i64 %sum.25, %differ.26
  %differ.27 = call i64 @take.24.swifttailcc()
  %sum.27 = add i64 %sum.26, %differ.27
  %still = load volatile ptr addrspace(1), ptr @kept
  %number.at = getelementptr i8, ptr addrspace(1) %still, i64 8
  %number = load i64, ptr addrspace(1) %number.at
  %result = add i64 %sum.27, %number
  ret i64 %result
}
