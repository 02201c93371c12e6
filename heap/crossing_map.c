#include "heap/crossing_map.h"

#include "heap/object.h"

static void enter(spgc_crossing_map crossing_maps, uint32_t offset, uint32_t end) {
  uint32_t first_card = (offset + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
  for (uint32_t card = first_card; card << SPGC_CARD_SHIFT < end; card++)
    crossing_maps[card] = (uint16_t)(offset / SPGC_WORD_BYTES);
}

static void extend(struct spgc_heap *heap, uint32_t index, uint32_t until) {
  struct spgc_block *block = &heap->blocks[index];
  uintptr_t start = spgc_heap_block_start(heap, index);
  uint32_t offset = block->crossing_map_top;
  while (offset <= until) {
    struct spgc_ref object = spgc_ref_from_word(start + offset);
    uint32_t end = offset + (uint32_t)spgc_object_bytes(object, spgc_object_type(object));
    enter(heap->crossing_maps[index], offset, end);
    offset = end;
  }
  block->crossing_map_top = offset;
}

void spgc_crossing_map_await(struct spgc_heap *heap, uint32_t index) {
  heap->blocks[index].awaits_map = true;
  if (index < heap->awaiting_map) /* or no block awaits one */
    heap->awaiting_map = index;
}

void spgc_crossing_map_populate_some(struct spgc_heap *heap, uint32_t count) {
  uint32_t index = heap->awaiting_map;
  for (; count != 0 && index != SPGC_BLOCK_NONE; index = spgc_old_after(heap, index)) {
    if (!heap->blocks[index].awaits_map || heap->spaces[index] != SPGC_SPACE_OLD)
      continue;
    extend(heap, index, SPGC_BLOCK_BYTES - 1);
    heap->blocks[index].awaits_map = false;
    count--;
  }
  heap->awaiting_map = index;
}

void spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uintptr_t start,
                               uintptr_t end) {
  struct spgc_block *block = &heap->blocks[index];
  uint32_t from = (uint32_t)(start - spgc_heap_block_start(heap, index));
  uint32_t to = (uint32_t)(end - spgc_heap_block_start(heap, index));
  if (from >= block->crossing_map_top)
    return;
  enter(heap->crossing_maps[index], from, to);
  if (to > block->crossing_map_top)
    block->crossing_map_top = to;
}

/* Stops at crossing_map_top, because the map is not populated above it. */
void spgc_crossing_map_replace_all(struct spgc_heap *heap, uint32_t index, uintptr_t start,
                                   uintptr_t limit) {
  const struct spgc_block *block = &heap->blocks[index];
  uintptr_t begin = spgc_heap_block_start(heap, index), object = start;
  while (object < limit && object - begin < block->crossing_map_top) {
    uintptr_t end = spgc_object_next(spgc_ref_from_word(object)).word;
    spgc_crossing_map_replace(heap, index, object, end);
    object = end;
  }
}

struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  if (heap->blocks[index].crossing_map_top <= card << SPGC_CARD_SHIFT)
    extend(heap, index, card << SPGC_CARD_SHIFT);
  return spgc_ref_from_word(spgc_heap_block_start(heap, index) +
                            (uintptr_t)heap->crossing_maps[index][card] * SPGC_WORD_BYTES);
}
