; rejected: names that start with "spgc."
define void @spgc.poll() {
  ret void
}
