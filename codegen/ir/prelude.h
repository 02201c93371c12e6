/* Operations that generated code does inline (prelude.ll). */
#ifndef SPGC_CODEGEN_IR_PRELUDE_H
#define SPGC_CODEGEN_IR_PRELUDE_H

#include "spgc/lower.h"

/* Begins every name that the lowering adds. */
#define PRELUDE_PREFIX "spgc."

void spgc_prelude_link(LLVMModuleRef module, enum spgc_code code);

/* The prelude's function has the same type. */
void spgc_prelude_redirect(LLVMValueRef call, const char *name);

void spgc_prelude_call_after(LLVMValueRef instruction, const char *name, LLVMValueRef *arguments,
                             unsigned count);

void spgc_prelude_unlink(LLVMModuleRef module);

#endif
