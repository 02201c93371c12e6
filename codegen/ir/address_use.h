#ifndef SPGC_CODEGEN_IR_ADDRESS_USE_H
#define SPGC_CODEGEN_IR_ADDRESS_USE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* True if every use of the integer `cast` (a ptrtoint) has the same result wherever the object is:
 * tests of tag bits, comparisons with constants outside the range of objects' addresses, and the
 * bits of a number boxed in a reference. */
bool spgc_address_uses_survive_moving(LLVMValueRef cast);

/* True if that holds for one use of an integer that may be an address. */
bool spgc_address_use_survives_moving(LLVMValueRef user, LLVMValueRef integer);

/* The first value that the integer is computed from and of which `is_source` is true, or NULL. The
 * search ends at reads of memory, calls of functions, results that do not depend on where the
 * object is, truth values, counts of bits, floating-point numbers, and integers that are known to
 * be immediates. */
LLVMValueRef spgc_source_of_bits(LLVMValueRef integer, bool (*is_source)(LLVMValueRef value));

/* The first cast of a reference among those values. */
LLVMValueRef spgc_address_source(LLVMValueRef integer);

#endif
