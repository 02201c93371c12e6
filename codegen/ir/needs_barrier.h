#ifndef SPGC_CODEGEN_IR_NEEDS_BARRIER_H
#define SPGC_CODEGEN_IR_NEEDS_BARRIER_H

#include "codegen/ir/segments.h"

/* The field whose card must become dirty, because the instruction writes a reference there or
 * copies memory to it; or NULL. After RS4GC. No barrier is needed if the value is not a reference
 * to an object (null, constants of the program, numbers), or if the target is not an object or is
 * fresh: at most SPGC_MOST_FRESH_ELEMENTS long, and with no safepoint between its allocation and
 * the write at which a collection could have aged it. */
LLVMValueRef spgc_field_that_needs_barrier(struct segments *placed, LLVMValueRef instruction);

#endif
