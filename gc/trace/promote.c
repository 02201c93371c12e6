#include "gc/trace/promote.h"

#include "heap/filler.h"
#include "heap/remembered/new_large.h"

/* Nothing is young any more, so cards become clean. Young blocks have no deferred card. */
static size_t promote_small(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  size_t bytes = block->top;
  if (bytes != SPGC_BLOCK_BYTES)
    spgc_filler_write(spgc_heap_block_start(heap, index) + bytes, SPGC_BLOCK_BYTES - bytes);
  block->top = SPGC_BLOCK_BYTES;
  heap->spaces[index] = SPGC_SPACE_OLD;
  spgc_cards_clean(heap, index, 1);
  return bytes;
}

static size_t promote_large(struct spgc_heap *heap, uint32_t index) {
  heap->spaces[index] = SPGC_SPACE_OLD_LARGE;
  heap->old_large_bytes += heap->blocks[index].large_bytes;
  spgc_new_large_becomes_old(heap, index);
  return heap->blocks[index].large_bytes;
}

size_t spgc_promote_nursery(struct spgc_heap *heap) {
  size_t bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    bytes += promote_small(heap, i);
  for (uint32_t i = heap->nursery_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    bytes += promote_large(heap, i);
  heap->old_blocks += heap->nursery.count;
  heap->nursery = spgc_block_list_empty();
  spgc_block_list_splice(&heap->old_large, &heap->nursery_large, heap->blocks);
  heap->nursery_large_blocks = 0;
  return bytes;
}
