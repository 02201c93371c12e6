/* Finds objects so new that no collection can have aged them: a store into one needs no barrier. */
#ifndef SPGC_CODEGEN_IR_FRESHNESS_H
#define SPGC_CODEGEN_IR_FRESHNESS_H

#include <stdbool.h>

#include "codegen/ir/safepoints.h"

/* After RS4GC: `address` points into an object, and no path from its allocation to `use` has a
 * safepoint. May answer no although it is so. */
bool spgc_is_fresh_target(struct safepoints *placed, LLVMValueRef address, LLVMValueRef use);

#endif
