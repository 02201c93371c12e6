; rejected: a cast between a reference and an ordinary pointer
@variable = global i64 0

define ptr addrspace(1) @f() gc "statepoint-example" {
  ret ptr addrspace(1) getelementptr (i8, ptr addrspace(1) addrspacecast (ptr @variable to
  ptr addrspace(1)), i64 8)
}
