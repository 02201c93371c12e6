/* A growing list of IR values, initially zero. Reduce `count` to remove the last. */
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
  /* The hash table of longer lists: open addressing, at most half full. A slot holds a place in the
   * list plus 1, or 0. Slots of removed values stay and are ignored. */
  unsigned *slots;
  unsigned slot_count, used_slots;
};

void spgc_values_add(struct values *values, LLVMValueRef value);
void spgc_values_add_new(struct values *values, LLVMValueRef value);
/* Adds the operands of a phi or select, once each; false for other values. */
bool spgc_values_add_choices(struct values *values, LLVMValueRef choice);
/* VALUES_MISSING if absent. Constant time. */
unsigned spgc_values_find(const struct values *values, LLVMValueRef value);
bool spgc_values_contain(const struct values *values, LLVMValueRef value);
void spgc_values_free(struct values *values);

/* The first that `is_found` accepts, of `start` and those that it adds to `others`, or NULL. */
LLVMValueRef spgc_values_search(LLVMValueRef start,
                                bool (*is_found)(struct values *others, LLVMValueRef value));

/* The process ends if there is no memory. */
void *spgc_zeroed(size_t count, size_t size);

#endif
