/* What the bits of an integer show of it. */
#ifndef SPGC_CODEGEN_IR_KNOWN_BITS_H
#define SPGC_CODEGEN_IR_KNOWN_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* True if the 64-bit integer is no address of an object, whatever its operands were: a bit below
 * the alignment of objects or above all addresses is set, as tags are. */
bool spgc_bits_show_immediate(LLVMValueRef integer);

/* False for what is no constant of at most 64 bits. */
bool spgc_bits_of_constant(LLVMValueRef value, uint64_t *constant);
uint64_t spgc_bits_low(unsigned count);

#endif
