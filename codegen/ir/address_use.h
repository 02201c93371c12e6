/* What a program makes of a reference's address once it is an integer. */
#ifndef SPGC_CODEGEN_IR_ADDRESS_USE_H
#define SPGC_CODEGEN_IR_ADDRESS_USE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Every use of the integer `cast` (a ptrtoint) comes out the same wherever the object lies: tests
 * of tag bits, compares with constants that no object's address straddles, and the bits of a number
 * boxed in a reference. */
bool spgc_address_uses_survive_moving(LLVMValueRef cast);

/* A cast of a reference that the integer is computed from, or NULL. Arithmetic, phis and selects
 * are followed; results that are the same wherever the object lies, and the bits of floating point
 * numbers, are not. */
LLVMValueRef spgc_address_source(LLVMValueRef integer);

#endif
