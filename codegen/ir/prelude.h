#ifndef SPGC_CODEGEN_IR_PRELUDE_H
#define SPGC_CODEGEN_IR_PRELUDE_H

#include "codegen/ir/lowering.h"

/* Begins every name that the lowering adds. */
#define PRELUDE_PREFIX "spgc."

lowering_phase spgc_prelude_link, spgc_prelude_unlink;

/* The prelude's function has the same type. */
void spgc_prelude_redirect(LLVMValueRef call, const char *name);

void spgc_prelude_call_after(LLVMValueRef instruction, const char *name, LLVMValueRef *arguments,
                             unsigned count);

#endif
