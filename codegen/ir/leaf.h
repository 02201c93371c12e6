/* What leaves may do: calls of functions that never come to a safepoint. */
#ifndef SPGC_CODEGEN_IR_LEAF_H
#define SPGC_CODEGEN_IR_LEAF_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/values.h"

/* True if some call of the function relies on it that it reaches no safepoint: it is a leaf, or is
 * called as one. */
bool spgc_leaf_is_called_as_one(LLVMValueRef function);

/* A property of functions, and the functions of which it is known. Apart from `holds`, it is zero
 * at first. */
struct reach {
  bool (*holds)(LLVMValueRef function); /* by the function itself */
  struct values with, without, path;
};

/* True if the property holds of the function or of one that it calls, or may come to hold: it calls
 * itself, or a function that is not named. */
bool spgc_leaf_may(struct reach *reach, LLVMValueRef function);

void spgc_reach_free(struct reach *reach);

/* A property: the function has a loop. */
bool spgc_leaf_has_loop(LLVMValueRef function);

#endif
