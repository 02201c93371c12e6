/* A growing list of IR values. Zero-initialised, it is empty. Reduce `count` to remove the last
 * values. */
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
   * plus 1, or 0. Slots of removed values stay, but lead nowhere. */
  unsigned *slots;
  unsigned slot_count, used_slots;
};

void spgc_values_add(struct values *values, LLVMValueRef value);
void spgc_values_add_new(struct values *values, LLVMValueRef value);
/* Adds, once each, the values that a phi or select chooses from; false for other values. */
bool spgc_values_add_choices(struct values *values, LLVMValueRef choice);
/* The value's place in the list (one of them, if it was added twice), or VALUES_MISSING. In
 * constant time. */
unsigned spgc_values_find(const struct values *values, LLVMValueRef value);
bool spgc_values_contain(const struct values *values, LLVMValueRef value);
void spgc_values_free(struct values *values);

/* Zeroed memory; the process ends if there is none. */
void *spgc_zeroed(size_t count, size_t size);

#endif
