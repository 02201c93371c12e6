#include "heap/worklist.h"

#include <sys/resource.h>

#include "heap/memory.h"

static size_t bytes_of(uint32_t capacity) {
  return capacity * sizeof(uintptr_t);
}

/* Limits on address space and data also count a stack's untouched pages. */
static uint32_t wanted_capacity(void) {
  enum { PART = 64 };
  uint32_t capacity = SPGC_WORKLIST_ENTRIES;
  struct rlimit data = {RLIM_INFINITY, RLIM_INFINITY}, space = data;
  getrlimit(RLIMIT_DATA, &data);
  getrlimit(RLIMIT_AS, &space);
  rlim_t least = data.rlim_cur < space.rlim_cur ? data.rlim_cur : space.rlim_cur;
  while (capacity > SPGC_LEAST_WORKLIST_ENTRIES && bytes_of(capacity) > least / PART)
    capacity /= 2;
  return capacity;
}

bool spgc_worklist_provide(struct spgc_worklist *stack) {
  if (stack->entries != NULL)
    return true;
  for (uint32_t capacity = wanted_capacity(); capacity >= SPGC_LEAST_WORKLIST_ENTRIES;
       capacity /= 2) {
    stack->entries = spgc_memory_map(bytes_of(capacity));
    stack->capacity = capacity;
    if (stack->entries != NULL)
      return true;
  }
  stack->capacity = 0;
  return false;
}

void spgc_worklist_destroy(struct spgc_worklist *stack) {
  if (stack->entries != NULL)
    spgc_memory_unmap(stack->entries, bytes_of(stack->capacity));
  *stack = (struct spgc_worklist){0};
}

void spgc_worklist_trim(struct spgc_worklist *stack) {
  spgc_memory_discard(stack->entries, bytes_of(stack->capacity));
}
