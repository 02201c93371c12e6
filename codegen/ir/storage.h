/* What the types in a module say of a word of memory: whether the collector is told of a reference
 * in it.
 *
 * Pointers have no element types in LLVM; what is known of a place comes from the type of the
 * variable it lies in, or of the structure that address arithmetic goes into. */
#ifndef SPGC_CODEGEN_IR_STORAGE_H
#define SPGC_CODEGEN_IR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum storage {
  STORAGE_UNKNOWN,
  STORAGE_REFERENCE, /* declared as a reference */
  STORAGE_PLAIN,     /* a number or an ordinary pointer */
  STORAGE_BYTES,     /* an array of bytes */
  STORAGE_HIDDEN,    /* a union in C: declared as its largest member, and may hold another */
};

/* `type` is NULL where nothing is known. */
struct place {
  LLVMTypeRef type;
  uint64_t offset;
};

struct place spgc_place_of(LLVMTargetDataRef data, LLVMValueRef pointer);

/* Of the word at an offset from a place. */
enum storage spgc_storage_at(LLVMTargetDataRef data, struct place place, uint64_t offset);

/* The bytes that a copy from a place may take when its length is not known. */
uint64_t spgc_storage_size(LLVMTargetDataRef data, struct place place);

#endif
