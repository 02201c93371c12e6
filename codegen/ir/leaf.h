/* What leaves may do: only calls that never reach a safepoint. */
#ifndef SPGC_CODEGEN_IR_LEAF_H
#define SPGC_CODEGEN_IR_LEAF_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/values.h"

/* True if a call relies on the function to reach no safepoint: it is a leaf, or is called as
 * one. */
bool spgc_leaf_is_called_as_one(LLVMValueRef function);

/* A property of functions, and the functions for which it is known. Apart from `holds`, initially
 * zero. */
struct reach {
  bool (*holds)(LLVMValueRef function); /* of the function itself */
  struct values with, without, path;
};

/* True if the property holds for the function or one that it calls, or may hold: it calls itself,
 * or an unknown function. */
bool spgc_leaf_may(struct reach *reach, LLVMValueRef function);

void spgc_reach_free(struct reach *reach);

/* A property: the function has a loop. */
bool spgc_leaf_has_loop(LLVMValueRef function);

#endif
