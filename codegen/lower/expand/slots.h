/* References of large functions in slots on the stack, and which of the slots each safepoint lists.
 */
#ifndef SPGC_CODEGEN_LOWER_SLOTS_H
#define SPGC_CODEGEN_LOWER_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/ir/values.h"

/* Safepoints of a function in which LLVM's passes whose time grows with the square of the blocks
 * take more than half of all: no reference is left to RS4GC, and the code is generated without
 * machine optimisations. */
enum { SAFEPOINTS_MANY = 1000 };

/* True for the array of a function's slots. No other code has its address. */
bool spgc_is_slot_array(LLVMValueRef alloca);

/* The function's array; NULL if it has none. */
LLVMValueRef spgc_slot_array(LLVMValueRef function);

/* The slots of a function whose statepoints are in. */
struct slot_lists {
  LLVMValueRef array; /* NULL: the function has none */
  unsigned words;     /* of a set of slots */
  struct values statepoints;
  uint64_t *live; /* of each statepoint: the slots that are loaded from behind it */
};

void spgc_slot_lists_find(struct slot_lists *lists, LLVMValueRef function);
void spgc_slot_lists_free(struct slot_lists *lists);

/* Has the code of a function with slots and very many statepoints generated quickly. */
void spgc_slot_lists_hurry(const struct slot_lists *lists, LLVMValueRef function);

/* Adds the operands that list the slots of the statepoint, in the format of
 * spgc/stackmap_reader.h; none if there are none. */
void spgc_slot_lists_add(const struct slot_lists *lists, LLVMValueRef statepoint,
                         struct values *operands);

#endif
