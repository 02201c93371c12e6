; rejected: a musttail call with arguments on the stack
; Nine vectors of 16 bytes and numbers.
declare void @next(<4 x double>, <16 x float>, <2 x double>, half, <4 x i16>)

define void @f(<4 x double> %x0, <16 x float> %x1, <2 x double> %x2, half %x3, <4 x i16> %x4) gc
    "statepoint-example" {
  musttail call void @next(<4 x double> %x0, <16 x float> %x1, <2 x double> %x2, half %x3, <4 x
    i16> %x4)
  ret void
}
