/* Variables of the source program, from debug information. */
#ifndef SPGC_CODEGEN_IR_DEBUG_VARIABLES_H
#define SPGC_CODEGEN_IR_DEBUG_VARIABLES_H

#include "codegen/ir/values.h"

/* A variable's alloca, or one of its values, and the node that describes it, at the same index. */
struct debug_variables {
  struct values values, nodes;
};

/* Reads a function's named variables: none without debug information. */
void spgc_debug_variables_read(LLVMValueRef function, struct debug_variables *variables);
void spgc_debug_variables_free(struct debug_variables *variables);

LLVMValueRef spgc_debug_variables_find(const struct debug_variables *variables, LLVMValueRef value);

/* The name, which the context owns, and which is not terminated. */
const char *spgc_debug_variable_name(LLVMValueRef node, unsigned *length);

#endif
