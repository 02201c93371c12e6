; Output of the C library is no safepoint.
declare i32 @printf(ptr, ...)
@format = private constant [4 x i8] c"%d\0A\00"

define ptr addrspace(1) @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %n = call i32 (ptr, ...) @printf(ptr @format, i32 7)
  ret ptr addrspace(1) %object
}
