/* Copies of parts of objects in local variables whose types do not show what they hold. */
#ifndef SPGC_CODEGEN_IR_HIDDEN_LOCALS_H
#define SPGC_CODEGEN_IR_HIDDEN_LOCALS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* The function copies the bytes of `variable`, into which `copy` copies, to other memory, or passes
 * its address. */
bool spgc_local_is_passed_on(LLVMValueRef copy, LLVMValueRef variable);

/* The first use of them that a safepoint may come before, or that is one; NULL when there is none.
 */
LLVMValueRef spgc_local_stale_use(LLVMValueRef copy, LLVMValueRef variable);

#endif
