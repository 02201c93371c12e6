#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include <llvm-c/Core.h>

struct write {
  LLVMValueRef address, value;
};

/* A store (also masked or compressing), an exchange or a compare-and-swap. `address` is NULL for
 * other instructions. */
struct write spgc_write_of(LLVMValueRef instruction);

#endif
