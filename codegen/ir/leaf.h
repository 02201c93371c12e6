/* What leaves may do: calls of functions that never come to a safepoint. */
#ifndef SPGC_CODEGEN_IR_LEAF_H
#define SPGC_CODEGEN_IR_LEAF_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/values.h"

/* True if some call of the function relies on it that it reaches no safepoint: it is a leaf, or is
 * called as one. */
bool spgc_leaf_is_called_as_one(LLVMValueRef function);

/* Functions of which is known whether they may run in a cycle. Zero-initialised, it is empty. */
struct cycles {
  struct values with, without, path;
};

/* True if the function, or one that it calls, has a loop, or may come to have one: it calls itself,
 * or a function that is not named. */
bool spgc_leaf_may_cycle(struct cycles *cycles, LLVMValueRef function);

void spgc_cycles_free(struct cycles *cycles);

#endif
