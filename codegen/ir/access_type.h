/* What type-based alias analysis is told of an access: the C type of what is read or written. */
#ifndef SPGC_CODEGEN_IR_ACCESS_TYPE_H
#define SPGC_CODEGEN_IR_ACCESS_TYPE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* "long" and its like: never a reference. */
bool spgc_access_is_of_number(LLVMValueRef access);

/* A pointer, whatever type the instruction itself gives it. */
bool spgc_access_is_of_pointer(LLVMValueRef access);

#endif
