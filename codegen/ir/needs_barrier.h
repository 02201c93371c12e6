#ifndef SPGC_CODEGEN_IR_NEEDS_BARRIER_H
#define SPGC_CODEGEN_IR_NEEDS_BARRIER_H

#include "codegen/ir/segments.h"

/* The field whose card must become dirty, because the instruction writes a reference or copies
 * memory there; or NULL. After RS4GC. No barrier is needed if the value is not an object (null,
 * constants, numbers), or if the target is not an object or is fresh: at most
 * SPGC_MOST_FRESH_ELEMENTS long, without a safepoint between allocation and write. */
LLVMValueRef spgc_field_that_needs_barrier(struct segments *placed, LLVMValueRef instruction);

#endif
