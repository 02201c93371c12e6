#ifndef SPGC_CODEGEN_LOWER_SLOTS_H
#define SPGC_CODEGEN_LOWER_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/ir/values.h"

/* From this number of safepoints, LLVM's quadratic passes would take more than half of the time: no
 * reference is left to RS4GC, and machine optimisations are omitted. */
enum { SAFEPOINTS_MANY = 1000 };

/* No other code has this array's address. */
bool spgc_is_slot_array(LLVMValueRef alloca);

LLVMValueRef spgc_slot_array(LLVMValueRef function);

void spgc_slots_note(LLVMValueRef safepoint, const uint64_t *live, unsigned words);

/* Adds operands in the format of spgc/stackmap_reader.h. */
void spgc_slots_list(LLVMValueRef array, LLVMValueRef statepoint, struct values *operands);

void spgc_slots_hurry(LLVMValueRef function);

#endif
