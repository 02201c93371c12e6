/* Which writes need a write barrier, and for which field. All others are without one. */
#ifndef SPGC_CODEGEN_IR_NEEDS_BARRIER_H
#define SPGC_CODEGEN_IR_NEEDS_BARRIER_H

#include "codegen/ir/segments.h"

/* The field of an object into which the instruction writes a reference, or to which it copies
 * memory, so that the field's card must become dirty; or NULL. After RS4GC. A barrier is omitted
 * where no reference to an object is written (null, constants of the program, numbers), where the
 * target is no object, and where it is fresh: no path from its allocation to the write has
 * a safepoint, so no collection can have aged it. */
LLVMValueRef spgc_field_that_needs_barrier(struct segments *placed, LLVMValueRef instruction);

#endif
