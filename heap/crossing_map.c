#include "heap/crossing_map.h"

#include "heap/object.h"

/* The first card of a block that begins at or behind an offset. */
static uint32_t first_card(uint32_t offset) {
  return (offset + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
}

static struct spgc_ref object_at(uintptr_t block, uint16_t word) {
  return spgc_ref_from_word(block + (uintptr_t)word * SPGC_WORD_BYTES);
}

static void enter(spgc_crossing_map map, uint32_t offset, uint32_t end) {
  for (uint32_t card = first_card(offset); card << SPGC_CARD_SHIFT < end; card++)
    map[card] = (uint16_t)(offset / SPGC_WORD_BYTES);
}

/* Enters the object at an offset of the block. Returns where it ends. */
static uint32_t enter_object(struct spgc_heap *heap, uint32_t index, uint32_t offset) {
  struct spgc_ref object = spgc_ref_from_word(spgc_heap_block_start(heap, index) + offset);
  uint32_t end = offset + (uint32_t)spgc_object_bytes(object, spgc_object_type(object));
  enter(heap->crossing_maps[index], offset, end);
  return end;
}

static void extend(struct spgc_heap *heap, uint32_t index, uint32_t until) {
  struct spgc_block *block = &heap->blocks[index];
  uint32_t offset = block->crossing_map_top;
  while (offset <= until)
    offset = enter_object(heap, index, offset);
  block->crossing_map_top = offset;
}

/* Whether the map has an entry of the card that leads before an offset. */
static bool leads_before(const struct spgc_heap *heap, uint32_t index, uint32_t card,
                         uint32_t offset) {
  return card << SPGC_CARD_SHIFT < heap->blocks[index].crossing_map_top &&
         heap->crossing_maps[index][card] < offset / SPGC_WORD_BYTES;
}

/* Corrects an early entry, and those behind it that are early, too. */
static void correct(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  uint32_t offset = heap->crossing_maps[index][card] * (uint32_t)SPGC_WORD_BYTES;
  do
    offset = enter_object(heap, index, offset);
  while (leads_before(heap, index, first_card(offset), offset));
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
  uint16_t *map = heap->crossing_maps[index];
  uint32_t from = (uint32_t)(start - spgc_heap_block_start(heap, index));
  uint32_t to = (uint32_t)(end - spgc_heap_block_start(heap, index));
  if (from >= block->crossing_map_top)
    return;
  enter(map, from, to);
  if (to > block->crossing_map_top)
    block->crossing_map_top = to;
  /* Early entries may lead to objects that are part of the filler now. */
  for (uint32_t card = first_card(to); leads_before(heap, index, card, to); card++)
    map[card] = (uint16_t)(from / SPGC_WORD_BYTES);
}

struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  uintptr_t start = spgc_heap_block_start(heap, index),
            first_byte = start + ((uintptr_t)card << SPGC_CARD_SHIFT);
  if (heap->blocks[index].crossing_map_top <= card << SPGC_CARD_SHIFT)
    extend(heap, index, card << SPGC_CARD_SHIFT);
  const uint16_t *entry = &heap->crossing_maps[index][card];
  if (spgc_object_next(object_at(start, *entry)).word <= first_byte)
    correct(heap, index, card);
  return object_at(start, *entry);
}
