/* Variables of the source program, from debug information. */
#ifndef SPGC_CODEGEN_IR_DEBUG_VARIABLES_H
#define SPGC_CODEGEN_IR_DEBUG_VARIABLES_H

#include "codegen/ir/values.h"

/* A variable's alloca, or a value that it has at some point, and the node that describes it, at the
 * same place. */
struct debug_variables {
  struct values values, nodes;
};

/* Reads the variables of a function that have names: none without debug information. The module
 * does not change. */
void spgc_debug_variables_read(LLVMValueRef function, struct debug_variables *variables);
void spgc_debug_variables_free(struct debug_variables *variables);

/* The node of the variable of a value; or NULL. */
LLVMValueRef spgc_debug_variables_find(const struct debug_variables *variables, LLVMValueRef value);

/* Its name, which the context owns, and which is not terminated. */
const char *spgc_debug_variable_name(LLVMValueRef node, unsigned *length);

#endif
