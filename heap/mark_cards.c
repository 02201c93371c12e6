#include "heap/mark_cards.h"

#include "heap/card.h"

static void mark_from(void *context, uintptr_t object, uintptr_t from, uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (!spgc_mark_bit_is_set(scanner->heap, object))
    return;
  struct spgc_window window = {from, to, spgc_mark_slot, scanner};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

/* False when a mutator dirtied it meanwhile: the next collection reads it. */
static bool forget(uint8_t *card) {
  uint8_t remembered = SPGC_CARD_REMEMBERED;
  return __atomic_compare_exchange_n(card, &remembered, SPGC_CARD_CLEAN, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* `object` is the large object the block is part of, or 0. */
static size_t read_block(struct spgc_marker *marker, uint32_t index, uintptr_t object) {
  struct spgc_heap *heap = marker->heap;
  struct spgc_scanner *scanner = &marker->scanners[0];
  size_t bytes = SPGC_CARDS_PER_BLOCK, card = (size_t)index * SPGC_CARDS_PER_BLOCK, end = card + SPGC_CARDS_PER_BLOCK;
  for (; (card = spgc_cards_next(heap, card, end, SPGC_CARD_REMEMBERED)) < end; card++) {
    if (!forget(&heap->cards[card]) || !marker->marks_from_cards)
      continue;
    uintptr_t from = spgc_card_start(heap, card);
    if (object != 0)
      mark_from(scanner, object, from, from + SPGC_CARD_BYTES);
    else
      spgc_cards_visit_small(heap, card, mark_from, scanner);
    bytes += SPGC_CARD_BYTES;
  }
  return bytes;
}

static size_t read_part(struct spgc_marker *marker) {
  const struct spgc_heap *heap = marker->heap;
  uint32_t large = marker->next_large, part = marker->next_part++;
  if (marker->next_part == heap->blocks[large].run) {
    marker->next_large = heap->blocks[large].next;
    marker->next_part = 0;
  }
  return read_block(marker, large + part, spgc_heap_block_start(heap, large));
}

size_t spgc_marker_read_cards(struct spgc_marker *marker) {
  uint32_t index = marker->next_block;
  if (index == SPGC_BLOCK_NONE)
    return read_part(marker);
  marker->next_block = marker->heap->blocks[index].next;
  return read_block(marker, index, 0);
}
