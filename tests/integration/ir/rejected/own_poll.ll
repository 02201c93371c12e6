; rejected: the lowering brings its own poll
define void @gc.safepoint_poll() {
  ret void
}
