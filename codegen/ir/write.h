/* The value that an instruction writes into memory, and the write barrier that it needs. */
#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include "codegen/ir/safepoints.h"

struct write {
  LLVMValueRef address, value;
};

/* For stores, masked and compressing ones included, exchanges and compare-and-swaps. `address` is
 * NULL for other instructions. */
struct write spgc_write_of(LLVMValueRef instruction);

/* The field of an object into which the instruction writes a reference, or to which it copies
 * memory, so that the field's card must become dirty; or NULL. After RS4GC. Constants of the
 * program are no objects, and objects that are fresh (codegen/ir/freshness.h) need no barrier. */
LLVMValueRef spgc_field_to_mark(struct safepoints *placed, LLVMValueRef instruction);

#endif
