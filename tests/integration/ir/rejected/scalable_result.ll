; rejected: scalable vectors are not supported
define <vscale x 2 x i64> @f() {
  ret <vscale x 2 x i64> zeroinitializer
}
