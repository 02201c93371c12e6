; rejected: a word that is declared as a reference is read or written as a number
%pair = type { ptr addrspace(1), i64 }

@versioned = global %pair zeroinitializer, align 16

define i128 @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %both = load atomic i128, ptr @versioned seq_cst, align 16
  ret i128 %both
}
