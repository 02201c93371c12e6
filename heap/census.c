#include "heap/census.h"

#include "heap/sweep.h"

static uint64_t is_within(uintptr_t object, uintptr_t start, uintptr_t end) {
  return spgc_object_header(object) - start < end - start;
}

static uint64_t count_small(const struct spgc_heap *heap, const struct spgc_block_list *list, uintptr_t start,
                            uintptr_t end) {
  uint64_t count = 0;
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    uintptr_t object = spgc_heap_block_start(heap, i), top = object + heap->blocks[i].top;
    for (; object < top; object += spgc_object_bytes(object, spgc_object_type(object)))
      count += is_within(object, start, end);
  }
  return count;
}

static uint64_t count_large(const struct spgc_heap *heap, const struct spgc_block_list *list, uintptr_t start,
                            uintptr_t end) {
  uint64_t count = 0;
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count += is_within(spgc_heap_block_start(heap, i), start, end);
  return count;
}

uint64_t spgc_census_count(struct spgc_heap *heap, uintptr_t start, uintptr_t end) {
  spgc_sweep_some(heap, UINT32_MAX);
  return count_small(heap, &heap->nursery, start, end) + count_small(heap, &heap->old, start, end) +
         count_large(heap, &heap->nursery_large, start, end) + count_large(heap, &heap->old_large, start, end);
}
