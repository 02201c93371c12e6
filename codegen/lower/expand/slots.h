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

/* Notes of a safepoint which slots are live there: a set, of so many words. */
void spgc_slots_note(LLVMValueRef safepoint, const uint64_t *live, unsigned words);

/* Adds the operands that list what was noted, in the format of spgc/stackmap_reader.h; none if
 * there are none. */
void spgc_slots_list(LLVMValueRef array, LLVMValueRef statepoint, struct values *operands);

/* Has the code of a function with very many statepoints generated quickly. */
void spgc_slots_hurry(LLVMValueRef function);

#endif
