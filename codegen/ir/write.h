/* What an instruction writes into memory, and whether it may be a reference. */
#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct write {
  LLVMValueRef address, value;
};

/* Of stores, masked and compressing ones too, exchanges and compare-and-swaps. `address` is NULL
 * for anything else. */
struct write spgc_write_of(LLVMValueRef instruction);

enum origin {
  ORIGIN_NUMBER,
  ORIGIN_UNKNOWN, /* passed, returned or stored by code that is not seen: an address for all that is
                     known */
  ORIGIN_REFERENCE, /* computed from a cast of a reference, or copied from a field of an object */
};

/* Whether an integer, number or vector of them may be the address of an object.
 *
 * A cast of a reference counts in this function and in those of the module that pass or return it.
 * What was computed from a field is a number, and so is a field that !tbaa says to be one of C's. A
 * word of unknown origin comes from the caller of a function that others may call, from a call of
 * another module or through a pointer, or from memory that is no object. It stays unknown when tag
 * bits are taken off; other arithmetic makes it a number. */
enum origin spgc_write_origin(LLVMValueRef value);

#endif
