#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include <llvm-c/Core.h>

struct write {
  LLVMValueRef address, value;
};

/* For stores (masked and compressing ones included), exchanges and compare-and-swaps. `address` is
 * NULL for other instructions. */
struct write spgc_write_of(LLVMValueRef instruction);

#endif
