/* What an instruction writes into memory, and whether it may be a reference. */
#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct write {
  LLVMValueRef address, value;
};

/* Of stores, masked and compressing ones too, exchanges and compare-and-swaps. `address` is NULL for anything else. */
struct write write_of(LLVMValueRef instruction);

/* Whether an integer, number or vector of them may be the address of an object: computed from a cast of a reference, in
 * this function or one of the module that passes or returns it, or copied from a field of an object. What was computed
 * from a field is a number, and so is a field that !tbaa says to be one of C's. */
bool write_may_be_reference(LLVMValueRef value);

#endif
