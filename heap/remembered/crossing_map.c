#include "heap/remembered/crossing_map.h"

#include "heap/mark_bits.h"

static uint32_t first_card(uint32_t offset) {
  return (offset + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
}

static struct spgc_ref tile_at(uintptr_t block, uint16_t word) {
  return (struct spgc_ref){block + (uintptr_t)word * SPGC_WORD_BYTES};
}

/* `card` is the first that begins in or after the tile; it becomes the first at or after the tile's
 * end, which is returned. */
SPGC_INLINE uint32_t enter_tile(struct spgc_heap *heap, uint32_t index, uint32_t offset,
                                uint32_t *card) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  uint32_t end =
      (uint32_t)(spgc_tile_next(heap, index, (struct spgc_ref){start + offset}).word - start);
  for (; *card << SPGC_CARD_SHIFT < end; (*card)++)
    heap->crossing_maps[index][*card] = (uint16_t)(offset / SPGC_WORD_BYTES);
  return end;
}

static bool leads_before(const struct spgc_heap *heap, uint32_t index, uint32_t card,
                         uint32_t offset) {
  return card << SPGC_CARD_SHIFT < heap->blocks[index].crossing_map_top &&
         heap->crossing_maps[index][card] < offset / SPGC_WORD_BYTES;
}

/* Early entries that lead into the filler follow the entries of its cards, because entries never
 * decrease. */
uint32_t spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uint32_t card,
                                   uintptr_t start, uintptr_t end) {
  struct spgc_block *block = &heap->blocks[index];
  uint32_t from = (uint32_t)(start - spgc_heap_block_start(heap, index));
  uint32_t to = (uint32_t)(end - spgc_heap_block_start(heap, index));
  if (from >= block->crossing_map_top)
    return card;
  if (to > block->crossing_map_top)
    block->crossing_map_top = to;
  if (card < first_card(from))
    card = first_card(from);
  while (card << SPGC_CARD_SHIFT < to || leads_before(heap, index, card, to))
    heap->crossing_maps[index][card++] = (uint16_t)(from / SPGC_WORD_BYTES);
  return card;
}

struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  uint32_t first_byte = card << SPGC_CARD_SHIFT, *top = &heap->blocks[index].crossing_map_top;
  for (uint32_t next = first_card(*top); *top <= first_byte;)
    *top = enter_tile(heap, index, *top, &next);
  const uint16_t *entry = &heap->crossing_maps[index][card];
  if (spgc_tile_next(heap, index, tile_at(start, *entry)).word <= start + first_byte) {
    uint32_t offset = *entry * (uint32_t)SPGC_WORD_BYTES, next = first_card(offset);
    do /* corrects the early entries */
      offset = enter_tile(heap, index, offset, &next);
    while (leads_before(heap, index, next, offset));
  }
  return tile_at(start, *entry);
}
