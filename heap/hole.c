#include "heap/hole.h"

#include "heap/access_checker.h"

void spgc_hole_allow_access(uintptr_t filler) {
  uintptr_t body = filler + SPGC_HOLE_HEAD_BYTES;
  size_t bytes = spgc_hole_bytes(filler) - SPGC_HOLE_HEAD_BYTES;
  spgc_access_allow(body, bytes);
  spgc_access_forget_names(filler, SPGC_HOLE_HEAD_BYTES + bytes);
}

void spgc_recyclable_return(struct spgc_heap *heap, uint32_t index) {
  heap->blocks[index].is_recyclable = true;
  if (index < heap->recyclable) /* or there is none */
    __atomic_store_n(&heap->recyclable, index, __ATOMIC_RELAXED);
}

static bool is_recyclable(const struct spgc_heap *heap, uint32_t index) {
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD && heap->blocks[index].is_recyclable;
}

uint32_t spgc_recyclable_take(struct spgc_heap *heap, struct spgc_block_range some) {
  const bool from_lowest = some.first <= heap->recyclable;
  const uint32_t end = some.end < heap->boundary ? some.end : heap->boundary;
  uint32_t index = from_lowest ? heap->recyclable : some.first;
  while (index < end && !is_recyclable(heap, index))
    index++;
  bool is_found = index < end;
  if (is_found)
    heap->blocks[index].is_recyclable = false;
  if (from_lowest)
    __atomic_store_n(&heap->recyclable, spgc_old_from(heap, is_found ? index + 1 : index),
                     __ATOMIC_RELAXED);
  return is_found ? index : SPGC_BLOCK_NONE;
}
