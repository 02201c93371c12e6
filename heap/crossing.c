#include "heap/crossing.h"

#include "heap/object.h"

static void extend(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  uint16_t *crossings = heap->crossings[index];
  uintptr_t start = spgc_heap_block_start(heap, index);
  uint32_t offset = block->crossings_top;
  while (offset < SPGC_BLOCK_BYTES) {
    uint32_t end = offset + (uint32_t)spgc_object_bytes(start + offset, spgc_object_type(start + offset));
    uint32_t first_card = (offset + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
    for (uint32_t card = first_card; card << SPGC_CARD_SHIFT < end; card++)
      crossings[card] = (uint16_t)(offset / SPGC_WORD_BYTES);
    offset = end;
  }
  block->crossings_top = offset;
}

uintptr_t spgc_crossing_find(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  if (heap->blocks[index].crossings_top < SPGC_BLOCK_BYTES)
    extend(heap, index);
  return spgc_heap_block_start(heap, index) + (uintptr_t)heap->crossings[index][card] * SPGC_WORD_BYTES;
}
