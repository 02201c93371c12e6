/* Writes the messages of rejected IR. */
#ifndef SPGC_CODEGEN_CHECK_REJECT_H
#define SPGC_CODEGEN_CHECK_REJECT_H

#include <llvm-c/Core.h>

#include "codegen/ir/objection.h"
#include "spgc/result.h"

/* Names the instruction's place in the source, function and variable, and quotes the instruction.
 * Returns SPGC_ERROR_REJECTED. */
enum spgc_result spgc_reject_instruction(LLVMValueRef instruction,
                                         const struct objection *objection,
                                         struct spgc_error *error);
/* The same for an instruction's use of a variable. */
enum spgc_result spgc_reject_variable(LLVMValueRef alloca, LLVMValueRef instruction,
                                      const struct objection *objection, struct spgc_error *error);
/* The same for a function or a global variable as a whole. */
enum spgc_result spgc_reject_global(LLVMValueRef global, const struct objection *objection,
                                    struct spgc_error *error);

#endif
