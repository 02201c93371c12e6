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

/* True if the result of a leaf call, of assembly, too, may be, or tell of, an address of the
 * moment: it is no reference, which a collection updates, and the callee can get at addresses. */
bool spgc_leaf_tells_address(LLVMValueRef call);

/* The same for what code does with the result: false where every use of it stays right when an
 * address that it may be is another one. */
bool spgc_leaf_gives_address(LLVMValueRef call);

/* True if a leaf call may leave an address of the moment in memory whose address it is given. */
bool spgc_leaf_may_store_address(LLVMValueRef call);

#endif
