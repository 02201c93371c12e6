#ifndef SPGC_CODEGEN_IR_ADDRESS_USE_H
#define SPGC_CODEGEN_IR_ADDRESS_USE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Whether every use of `cast` (a ptrtoint) has the same result wherever the object is: a test of
 * tag bits, a comparison with a constant that cannot be an address, or a use of a boxed number. */
bool spgc_address_uses_survive_moving(LLVMValueRef cast);

bool spgc_address_use_survives_moving(LLVMValueRef user, LLVMValueRef integer);

/* The first source that the integer is computed from, or NULL. The search ends at reads of memory,
 * calls, results independent of the object's place, truth values, counts of bits, floating-point
 * numbers, and immediates. */
LLVMValueRef spgc_source_of_bits(LLVMValueRef integer, bool (*is_source)(LLVMValueRef value));

LLVMValueRef spgc_address_source(LLVMValueRef integer);

#endif
