/* Copies of parts of objects in local variables whose types do not show their references. */
#ifndef SPGC_CODEGEN_IR_HIDDEN_LOCALS_H
#define SPGC_CODEGEN_IR_HIDDEN_LOCALS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Whether the function copies the bytes of `variable`, which `copy` fills, to other memory, or
 * passes its address. */
bool spgc_local_is_passed_on(LLVMValueRef copy, LLVMValueRef variable);

/* The first use of the bytes that comes after a safepoint on some path, or that is a safepoint;
 * NULL when there is none. */
LLVMValueRef spgc_local_stale_use(LLVMValueRef copy, LLVMValueRef variable);

#endif
