; rejected: the references of a vector are read as numbers, which would be stale
define <2 x i64> @f(<2 x ptr addrspace(1)> %objects) gc "statepoint-example" {
  %addresses = ptrtoint <2 x ptr addrspace(1)> %objects to <2 x i64>
  ret <2 x i64> %addresses
}
