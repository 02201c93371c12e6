/* A stack of words of fixed capacity, off the C stack. Who finds it full must find the work again in another way: a
 * smaller capacity costs time only. */
#ifndef SPGC_HEAP_WORKLIST_H
#define SPGC_HEAP_WORKLIST_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SPGC_WORK_STACK_ENTRIES = 1 << 20,       /* the usual capacity */
  SPGC_LEAST_WORK_STACK_ENTRIES = 1 << 12, /* the least, where memory is short */
};

struct spgc_work_stack {
  uintptr_t *entries; /* pages cost memory only once they were reached */
  uint32_t capacity;
  uint32_t count;
};

/* Maps the stack, unless that was done before: of the usual capacity, or of less where the process's data is limited or
 * the system refuses so much. False when it refuses the least. */
bool spgc_work_stack_provide(struct spgc_work_stack *stack);
void spgc_work_stack_destroy(struct spgc_work_stack *stack);

/* Returns the pages of an empty stack that is not likely to become as deep again. */
void spgc_work_stack_trim(struct spgc_work_stack *stack);

static inline bool spgc_work_stack_is_usual(const struct spgc_work_stack *stack) {
  return stack->capacity == SPGC_WORK_STACK_ENTRIES;
}

static inline bool spgc_work_stack_has_room(const struct spgc_work_stack *stack, uint32_t entries) {
  return stack->capacity - stack->count >= entries;
}

/* There must be room. */
static inline void spgc_work_stack_push(struct spgc_work_stack *stack, uintptr_t entry) {
  stack->entries[stack->count++] = entry;
}

/* It must not be empty. */
static inline uintptr_t spgc_work_stack_pop(struct spgc_work_stack *stack) {
  return stack->entries[--stack->count];
}

#endif
