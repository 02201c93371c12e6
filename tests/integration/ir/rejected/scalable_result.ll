; rejected: no scalable vectors
define <vscale x 2 x i64> @f() {
  ret <vscale x 2 x i64> zeroinitializer
}
