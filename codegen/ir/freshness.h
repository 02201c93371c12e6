/* Objects so new that no collection can have aged them: a store into one needs no barrier. */
#ifndef SPGC_CODEGEN_IR_FRESHNESS_H
#define SPGC_CODEGEN_IR_FRESHNESS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* After RS4GC: `address` points into an object that was allocated with no safepoint between the
 * allocation and `use`, on every path. May say no where the answer is yes. */
bool spgc_is_fresh_target(LLVMValueRef address, LLVMValueRef use);

#endif
