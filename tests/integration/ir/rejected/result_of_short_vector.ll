; rejected: does not fit the registers for results
; LLVM returns five bytes in five registers.
declare <5 x i8> @bytes(ptr addrspace(1))

define i8 @last(ptr addrspace(1) %o) gc "statepoint-example" {
  %bytes = call <5 x i8> @bytes(ptr addrspace(1) %o)
  %last = extractelement <5 x i8> %bytes, i32 4
  ret i8 %last
}
