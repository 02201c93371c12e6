#include "heap/census.h"

#include "heap/sweep.h"

struct census {
  struct spgc_type_range *ranges;
  size_t range_count;
};

static void count_object(const struct census *census, struct spgc_ref object) {
  uintptr_t type = spgc_object_header(object);
  for (size_t i = 0; i < census->range_count; i++)
    census->ranges[i].count +=
        type - census->ranges[i].start < census->ranges[i].end - census->ranges[i].start;
}

static void count_block(const struct census *census, const struct spgc_heap *heap, uint32_t index) {
  struct spgc_ref object = spgc_heap_first_object(heap, index);
  uintptr_t top = object.word + heap->blocks[index].top;
  for (; object.word < top; object = spgc_object_next(object))
    count_object(census, object);
}

static void count_large(const struct census *census, const struct spgc_heap *heap,
                        const struct spgc_block_list *list) {
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count_object(census, spgc_heap_first_object(heap, i));
}

void spgc_census_count(struct spgc_heap *heap, struct spgc_type_range *ranges, size_t range_count) {
  const struct census census = {ranges, range_count};
  spgc_sweep_some(heap, UINT32_MAX);
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count_block(&census, heap, i);
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    count_block(&census, heap, i);
  count_large(&census, heap, &heap->nursery_large);
  count_large(&census, heap, &heap->old_large);
}
