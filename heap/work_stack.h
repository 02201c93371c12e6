/* A stack of words of fixed capacity, off the C stack. Who finds it full must find the work again in another way. */
#ifndef SPGC_HEAP_WORK_STACK_H
#define SPGC_HEAP_WORK_STACK_H

#include <stdbool.h>
#include <stdint.h>

enum { SPGC_WORK_STACK_ENTRIES = 1 << 20 };

struct spgc_work_stack {
  uintptr_t *entries; /* of SPGC_WORK_STACK_ENTRIES; pages cost memory only once they were reached */
  uint32_t count;
};

/* Maps the stack, which is all zero, unless that was done before. False when the system refuses. */
bool spgc_work_stack_provide(struct spgc_work_stack *stack);
void spgc_work_stack_destroy(struct spgc_work_stack *stack);

/* Returns the pages of an empty stack that is not likely to become as deep again. */
void spgc_work_stack_trim(struct spgc_work_stack *stack);

static inline bool spgc_work_stack_has_room(const struct spgc_work_stack *stack, uint32_t entries) {
  return SPGC_WORK_STACK_ENTRIES - stack->count >= entries;
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
