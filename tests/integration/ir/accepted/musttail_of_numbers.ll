; Six words and eight numbers are passed in registers.
declare ptr addrspace(1) @next(ptr addrspace(1), i64, i32, i1, ptr, i8, double, double, double,
    double, float, float, float, float)

define ptr addrspace(1) @f(ptr addrspace(1) %a, i64 %b, i32 %c, i1 %d, ptr %e, i8 %g, double %h,
    double %i, double %j, double %k, float %l, float %m, float %n,
    float %o) gc "statepoint-example" {
  %r = musttail call ptr addrspace(1) @next(ptr addrspace(1) %a, i64 %b, i32 %c, i1 %d, ptr %e,
  i8 %g, double %i, double %h, double %j, double %k, float %l, float %m, float %n, float %o)
  ret ptr addrspace(1) %r
}
