/* Uses of a reference's address as an integer. */
#ifndef SPGC_CODEGEN_IR_ADDRESS_USE_H
#define SPGC_CODEGEN_IR_ADDRESS_USE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Every use of the integer `cast` (a ptrtoint) gives the same result wherever the object lies:
 * tests of tag bits, comparisons with constants that are not in the range of objects' addresses,
 * and the bits of a number boxed in a reference. */
bool spgc_address_uses_survive_moving(LLVMValueRef cast);

/* The same for one use of an integer that may be an address. */
bool spgc_address_use_survives_moving(LLVMValueRef user, LLVMValueRef integer);

/* The first value that the integer is computed from and of which `is_source` is true, or NULL. The
 * search follows every instruction, except those known to end it: reads of memory, calls of
 * functions, results that are the same wherever the object lies, truth values, counts of bits,
 * floating-point numbers, and integers that are seen to be immediates. */
LLVMValueRef spgc_source_of_bits(LLVMValueRef integer, bool (*is_source)(LLVMValueRef value));

/* The same for casts of references. */
LLVMValueRef spgc_address_source(LLVMValueRef integer);

#endif
