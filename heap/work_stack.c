#include "heap/work_stack.h"

#include "heap/memory.h"

static const size_t stack_bytes = SPGC_WORK_STACK_ENTRIES * sizeof(uintptr_t);

bool spgc_work_stack_provide(struct spgc_work_stack *stack) {
  if (stack->entries == NULL)
    stack->entries = spgc_memory_map(stack_bytes);
  return stack->entries != NULL;
}

void spgc_work_stack_destroy(struct spgc_work_stack *stack) {
  if (stack->entries != NULL)
    spgc_memory_unmap(stack->entries, stack_bytes);
  stack->entries = NULL;
}

void spgc_work_stack_trim(struct spgc_work_stack *stack) {
  spgc_memory_discard(stack->entries, stack_bytes);
}
