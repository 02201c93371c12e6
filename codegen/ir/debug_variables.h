/* Variables of the source program, from debug information. */
#ifndef SPGC_CODEGEN_IR_DEBUG_VARIABLES_H
#define SPGC_CODEGEN_IR_DEBUG_VARIABLES_H

#include <stddef.h>

#include <llvm-c/Core.h>

struct debug_variable {
  LLVMValueRef value; /* its alloca, or a value that it has at some point */
  const char *name;   /* owned by the context; not terminated */
  size_t name_length;
  unsigned line; /* of its declaration; 0: not known */
};

struct debug_variables {
  struct debug_variable *items;
  size_t count, capacity;
};

/* Reads the variables of a function: none without debug information, fewer when out of memory. The
 * module does not change. */
void spgc_debug_variables_read(LLVMValueRef function, struct debug_variables *variables);
void spgc_debug_variables_free(struct debug_variables *variables);

/* The variable of a value; or NULL. */
const struct debug_variable *spgc_debug_variables_find(const struct debug_variables *variables,
                                                       LLVMValueRef value);

#endif
