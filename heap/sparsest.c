#include "heap/sparsest.h"

enum { CLASS_BYTES = SPGC_BLOCK_BYTES / 64, CLASSES = SPGC_BLOCK_BYTES / CLASS_BYTES + 1 };

static size_t class_of(const struct spgc_heap *heap, uint32_t index) {
  return heap->blocks[index].live / CLASS_BYTES;
}

struct spgc_sparsest spgc_sparsest_select(const struct spgc_heap *heap, spgc_block_weigh weigh,
                                          const void *context, size_t capacity) {
  size_t weight_of[CLASSES] = {0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    int64_t weight = weigh(context, heap, i);
    if (weight != SPGC_NOT_ELIGIBLE)
      weight_of[class_of(heap, i)] += (size_t)weight;
  }
  struct spgc_sparsest sparsest = {weigh, context, 0, capacity};
  while (sparsest.last < CLASSES - 1 && weight_of[sparsest.last] <= sparsest.left)
    sparsest.left -= weight_of[sparsest.last++];
  return sparsest;
}

bool spgc_sparsest_take(struct spgc_sparsest *sparsest, const struct spgc_heap *heap,
                        uint32_t index) {
  int64_t weight = sparsest->weigh(sparsest->context, heap, index);
  if (weight == SPGC_NOT_ELIGIBLE || class_of(heap, index) > sparsest->last)
    return false;
  if (class_of(heap, index) < sparsest->last)
    return true;
  bool fits = (size_t)weight <= sparsest->left;
  sparsest->left -= fits ? (size_t)weight : 0;
  return fits;
}

struct spgc_sparsest_sum spgc_sparsest_sum(struct spgc_sparsest sparsest,
                                           const struct spgc_heap *heap) {
  struct spgc_sparsest_sum sum = {0, 0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (spgc_sparsest_take(&sparsest, heap, i)) {
      sum.blocks++;
      sum.live_bytes += heap->blocks[i].live;
    }
  return sum;
}
