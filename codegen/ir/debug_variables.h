#ifndef SPGC_CODEGEN_IR_DEBUG_VARIABLES_H
#define SPGC_CODEGEN_IR_DEBUG_VARIABLES_H

#include "codegen/ir/values.h"

/* Each variable's alloca or value; its node has the same index. */
struct debug_variables {
  struct values values, nodes;
};

void spgc_debug_variables_read(LLVMValueRef function, struct debug_variables *variables);
void spgc_debug_variables_free(struct debug_variables *variables);

LLVMValueRef spgc_debug_variables_find(const struct debug_variables *variables, LLVMValueRef value);

/* The context owns the name, which is not terminated. */
const char *spgc_debug_variable_name(LLVMValueRef node, unsigned *length);

#endif
