/* A stack of words of fixed capacity, off the C stack. Who finds it full must find the work again
 * in another way: a smaller capacity costs time only. */
#ifndef SPGC_HEAP_WORKLIST_H
#define SPGC_HEAP_WORKLIST_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SPGC_WORKLIST_ENTRIES = 1 << 20,       /* the usual capacity */
  SPGC_LEAST_WORKLIST_ENTRIES = 1 << 12, /* the least, where memory is short */
};

struct spgc_worklist {
  uintptr_t *entries; /* pages cost memory only once they were reached */
  uint32_t capacity;
  uint32_t count;
};

/* Maps the stack, unless that was done before: of the usual capacity, or of less where the
 * process's data is limited or the system refuses so much. False when it refuses the least. */
bool spgc_worklist_provide(struct spgc_worklist *stack);
void spgc_worklist_destroy(struct spgc_worklist *stack);

/* Returns the pages of an empty stack that is not likely to become as deep again. */
void spgc_worklist_trim(struct spgc_worklist *stack);

static inline bool spgc_worklist_has_full_capacity(const struct spgc_worklist *stack) {
  return stack->capacity == SPGC_WORKLIST_ENTRIES;
}

static inline bool spgc_worklist_has_space(const struct spgc_worklist *stack, uint32_t entries) {
  return stack->capacity - stack->count >= entries;
}

/* There must be room. */
static inline void spgc_worklist_push(struct spgc_worklist *stack, uintptr_t entry) {
  stack->entries[stack->count++] = entry;
}

/* It must not be empty. */
static inline uintptr_t spgc_worklist_pop(struct spgc_worklist *stack) {
  return stack->entries[--stack->count];
}

#endif
