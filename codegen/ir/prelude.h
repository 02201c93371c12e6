/* The bodies of what generated code does inline (prelude.ll, registration.ll), as functions of a
 * module. */
#ifndef SPGC_CODEGEN_IR_PRELUDE_H
#define SPGC_CODEGEN_IR_PRELUDE_H

#include "spgc/lower.h"

/* Every name the lowering adds to a module starts so. */
#define PRELUDE_PREFIX "spgc."

/* Puts the prelude's functions into the module. Their thread words are those of `code`. */
void spgc_prelude_link(LLVMModuleRef module, enum spgc_code code);

/* Makes a direct call of a runtime function call the prelude's function of the same type instead.
 */
void spgc_prelude_redirect(LLVMValueRef call, const char *name);

/* Calls a void prelude function right after `instruction`. */
void spgc_prelude_call_after(LLVMValueRef instruction, const char *name, LLVMValueRef *arguments,
                             unsigned count);

/* Removes from the module what of the prelude nothing calls, and makes the rest internal. */
void spgc_prelude_unlink(LLVMModuleRef module);

#endif
