#ifndef SPGC_CODEGEN_IR_KNOWN_BITS_H
#define SPGC_CODEGEN_IR_KNOWN_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* A bit below objects' alignment or above all addresses is set. */
bool spgc_bits_show_immediate(LLVMValueRef integer);

/* False unless it has at most 64 bits. */
bool spgc_bits_of_constant(LLVMValueRef value, uint64_t *constant);
uint64_t spgc_bits_low(unsigned count);

#endif
