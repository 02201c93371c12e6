; rejected: has statepoints or gc intrinsics already
declare void @unknown()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg,
    i32 immarg, ...)

define void @f() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0,
  ptr elementtype(void ()) @unknown, i32 0, i32 0, i32 0, i32 0)
  ret void
}
