; rejected: a word that is declared as a reference is read or written as a number
%union.word = type { ptr addrspace(1) }
%struct.object = type { ptr, %union.word }

define void @f(ptr addrspace(1) %object) gc "statepoint-example" {
  %word = getelementptr %struct.object, ptr addrspace(1) %object, i32 0, i32 1
  store i8 1, ptr addrspace(1) %word
  ret void
}
