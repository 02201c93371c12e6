/* Operations that generated code does inline (prelude.ll), as functions of a module. */
#ifndef SPGC_CODEGEN_IR_PRELUDE_H
#define SPGC_CODEGEN_IR_PRELUDE_H

#include "spgc/lower.h"

/* Begins every name that the lowering adds. */
#define PRELUDE_PREFIX "spgc."

/* The functions use the thread words of `code`. */
void spgc_prelude_link(LLVMModuleRef module, enum spgc_code code);

/* The prelude's function has the same type. */
void spgc_prelude_redirect(LLVMValueRef call, const char *name);

/* Calls a void function right after `instruction`. */
void spgc_prelude_call_after(LLVMValueRef instruction, const char *name, LLVMValueRef *arguments,
                             unsigned count);

/* Removes unused functions, and makes the others internal. */
void spgc_prelude_unlink(LLVMModuleRef module);

#endif
