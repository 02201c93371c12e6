/* A growing list of IR values. Zero-initialised, it is empty. The last values may be taken off by
 * making `count` smaller. */
#ifndef SPGC_CODEGEN_IR_VALUES_H
#define SPGC_CODEGEN_IR_VALUES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#define VALUES_MISSING UINT_MAX

struct values {
  LLVMValueRef *at;
  unsigned count, capacity;
  /* An index of longer lists: open addressing, at most half full. A slot holds a place in the list
   * and 1 more, or 0. Of a value that was taken off, a slot remains that leads nowhere. */
  unsigned *slots;
  unsigned slot_count, used_slots;
};

void spgc_values_add(struct values *values, LLVMValueRef value);
/* The same, unless it is in the list. */
void spgc_values_add_new(struct values *values, LLVMValueRef value);
/* Adds, once each, what a phi or select chooses from; false for other values. */
bool spgc_values_add_choices(struct values *values, LLVMValueRef choice);
/* The value's place in the list, of a value that was added twice one of its places; VALUES_MISSING
 * if there is none. In constant time. */
unsigned spgc_values_find(const struct values *values, LLVMValueRef value);
bool spgc_values_contain(const struct values *values, LLVMValueRef value);
void spgc_values_free(struct values *values);

/* Zeroed memory for so many things; the process ends where there is none. */
void *spgc_zeroed(size_t count, size_t size);

#endif
