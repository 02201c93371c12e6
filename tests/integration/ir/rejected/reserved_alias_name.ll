; rejected: names that start with "spgc."
@spgc.poll = alias void (), ptr @own

define void @own() {
  ret void
}
