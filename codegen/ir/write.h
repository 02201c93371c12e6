/* The value that an instruction writes into memory, and whether it may be a reference. */
#ifndef SPGC_CODEGEN_IR_WRITE_H
#define SPGC_CODEGEN_IR_WRITE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct write {
  LLVMValueRef address, value;
};

/* For stores, masked and compressing ones included, exchanges and compare-and-swaps. `address` is
 * NULL for other instructions. */
struct write spgc_write_of(LLVMValueRef instruction);

enum origin {
  ORIGIN_NUMBER,
  ORIGIN_UNKNOWN,   /* passed, returned or stored by code that is not seen: it may be an address */
  ORIGIN_REFERENCE, /* computed from a cast of a reference, or copied from a field of an object */
};

/* Whether an integer, a number or a vector of them may be the address of an object.
 *
 * A cast of a reference counts in this function and in those of the module that pass or return it.
 * A value computed from a field is a number, and so is a field whose !tbaa gives a number type of
 * C. A word of unknown origin comes from the caller of a function that others may call, from a call
 * of another module or through a pointer, or from memory that is no object; if it is loaded as a
 * floating-point number, !tbaa is believed there, too. Its origin stays unknown when tag bits are
 * removed, and when words are combined to a wider integer, taken apart, moved in a vector or
 * chosen; other arithmetic makes it a number (word_change.h).
 */
enum origin spgc_write_origin(LLVMValueRef value);

/* Whether a number that is stored, or cast to a reference, may be an object's address. Unlike
 * spgc_write_origin, which decides whether the store needs a barrier, it also says so of what is
 * computed from a field or from a word of unknown origin, because arithmetic may take off what
 * hides an address; but not if it leaves a tag that no address has. A cast says of what it reads
 * that it may be an address, so !tbaa is not believed. */
bool spgc_may_become_address(LLVMValueRef value, bool is_cast);

struct values;

/* Adds the loads of the words that the value is, or is computed from. Returns false if there are
 * more, because the value has too many sources to follow. */
bool spgc_write_loads(LLVMValueRef value, struct values *loads);

#endif
