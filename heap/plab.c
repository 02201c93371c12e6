#include "heap/plab.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/sweep.h"
#include "support/fatal.h"

static void open_plab(struct spgc_plab *plab, uint32_t index, uintptr_t from, size_t bytes,
                      uint16_t next_hole) {
  *plab = (struct spgc_plab){from, from + bytes, from, spgc_plab_given(plab), index, next_hole};
}

static bool open_next_hole(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes) {
  while (plab->next_hole != SPGC_NO_HOLE) {
    uintptr_t filler = spgc_hole_at(spgc_heap_block_start(heap, plab->block), plab->next_hole);
    uint16_t next = (uint16_t)*spgc_hole_next(filler);
    if (spgc_hole_bytes(filler) >= bytes) {
      __builtin_prefetch((void *)spgc_hole_at(spgc_heap_block_start(heap, plab->block), next), 1);
      if (heap->is_checked)
        spgc_hole_allow_access(filler);
      open_plab(plab, plab->block, filler, spgc_hole_bytes(filler), next);
      return true;
    }
    plab->next_hole = next;
  }
  return false;
}

/* Swept, and `bytes` may fit; or SPGC_BLOCK_NONE. */
static uint32_t take_recyclable_block(struct spgc_heap *heap, struct spgc_block_range recyclable,
                                      size_t bytes) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = spgc_recyclable_take(heap, recyclable, bytes > SPGC_LARGEST_IN_HOLE);
  pthread_mutex_unlock(&heap->lock);
  if (index != SPGC_BLOCK_NONE)
    spgc_sweep_block(heap, index);
  return index;
}

static uint32_t take_free_block(struct spgc_heap *heap) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = spgc_blocks_take_old(heap);
  pthread_mutex_unlock(&heap->lock);
  return index;
}

static void open_free_block(struct spgc_heap *heap, struct spgc_plab *plab) {
  uint32_t index = take_free_block(heap);
  spgc_require(index != SPGC_BLOCK_NONE,
               "the copy reserve of the collection is used up (%u blocks in use)",
               heap->used_blocks);
  uintptr_t start = spgc_heap_block_start(heap, index);
  spgc_filler_write(start, SPGC_BLOCK_BYTES);
  open_plab(plab, index, start, SPGC_BLOCK_BYTES, SPGC_NO_HOLE);
}

void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      struct spgc_block_range recyclable) {
  while (!open_next_hole(heap, plab, bytes)) {
    uint32_t index = take_recyclable_block(heap, recyclable, bytes);
    if (index == SPGC_BLOCK_NONE) {
      open_free_block(heap, plab);
      return;
    }
    open_plab(plab, index, spgc_heap_block_start(heap, index), 0, heap->blocks[index].first_hole);
  }
}
