; rejected: names that start with "spgc."
@spgc.module = global i64 0
