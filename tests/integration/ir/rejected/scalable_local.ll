; rejected: scalable vectors are not supported
define void @f() {
  %local = alloca { <vscale x 2 x i64>, <vscale x 2 x i64> }
  ret void
}
