/* A stack of fixed capacity. What does not fit is found again in another way, so a smaller one only
 * costs time. */
#ifndef SPGC_HEAP_WORKLIST_H
#define SPGC_HEAP_WORKLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/geometry.h"

enum {
  SPGC_WORKLIST_ENTRIES = 1 << 20,
  SPGC_LEAST_WORKLIST_ENTRIES = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES, /* if memory is short */
};

struct spgc_worklist {
  uintptr_t *entries;
  uint32_t capacity;
  uint32_t count;
};

/* A smaller one if necessary. False if even the least is refused. */
bool spgc_worklist_provide(struct spgc_worklist *stack);
void spgc_worklist_destroy(struct spgc_worklist *stack);

/* Gives the pages of an empty stack back. */
void spgc_worklist_trim(struct spgc_worklist *stack);

static inline bool spgc_worklist_has_space(const struct spgc_worklist *stack, uint32_t entries) {
  return stack->capacity - stack->count >= entries;
}

static inline void spgc_worklist_push(struct spgc_worklist *stack, uintptr_t entry) {
  stack->entries[stack->count++] = entry;
}

static inline uintptr_t spgc_worklist_pop(struct spgc_worklist *stack) {
  return stack->entries[--stack->count];
}

#endif
