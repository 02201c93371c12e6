/* Cards: which parts of old objects may refer to young ones.
 *
 * Invariant outside a collection: a field of an old object that refers to a young object lies on a dirty card. Stores
 * dirty cards (spgc_store, the lowering's barrier); every collection leaves no young object, hence no dirty card.
 */
#ifndef SPGC_HEAP_CARD_H
#define SPGC_HEAP_CARD_H

#include <string.h>

#include "heap/crossing.h"
#include "heap/heap.h"
#include "heap/object.h"

static inline uint8_t *spgc_card_of(const struct spgc_heap *heap, uintptr_t address) {
  return heap->cards + ((address - heap->base) >> SPGC_CARD_SHIFT);
}

/* What spgc_thread.cards must hold: see SPGC_THREAD_FIELDS. */
static inline uintptr_t spgc_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->cards - (heap->base >> SPGC_CARD_SHIFT);
}

static inline void spgc_cards_clean_large(struct spgc_heap *heap, uint32_t index) {
  size_t cards = (heap->blocks[index].large_bytes + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
  uint8_t *card = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  for (size_t i = 0; i < cards; i++)
    if (card[i] != SPGC_CARD_CLEAN)
      card[i] = SPGC_CARD_CLEAN;
}

/* The first dirty card in [card, end), or `end`. Clean cards are passed a word at a time. */
static inline uint32_t spgc_cards_next_dirty(const uint8_t *cards, uint32_t card, uint32_t end) {
  while (card < end) {
    uint64_t word;
    if (card % sizeof word == 0 && end - card >= sizeof word) {
      memcpy(&word, cards + card, sizeof word);
      if (word == 0) {
        card += sizeof word;
        continue;
      }
    }
    if (cards[card] != SPGC_CARD_CLEAN)
      return card;
    card++;
  }
  return end;
}

SPGC_INLINE void spgc_cards_visit_dirty_block(struct spgc_heap *heap, uint32_t index, spgc_slot_visitor visit,
                                              void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uintptr_t start = spgc_heap_block_start(heap, index);
  uint32_t top = heap->blocks[index].top;
  uint32_t end = (top + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
  for (uint32_t card = 0; (card = spgc_cards_next_dirty(cards, card, end)) < end; card++) {
    cards[card] = SPGC_CARD_CLEAN;
    uintptr_t from = start + ((uintptr_t)card << SPGC_CARD_SHIFT);
    uintptr_t to = from + SPGC_CARD_BYTES < start + top ? from + SPGC_CARD_BYTES : start + top;
    struct spgc_window window = {from, to, visit, context};
    uintptr_t object = spgc_crossing_find(heap, index, card);
    while (object < to) {
      const struct spgc_type *type = spgc_object_type(object);
      spgc_object_visit_within(object, type, &window);
      object += spgc_object_bytes(object, type);
    }
  }
}

SPGC_INLINE void spgc_cards_visit_dirty_large(struct spgc_heap *heap, uint32_t index, spgc_slot_visitor visit,
                                              void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uintptr_t object = spgc_heap_block_start(heap, index);
  const struct spgc_type *type = spgc_object_type(object);
  uint32_t end = heap->blocks[index].run * SPGC_CARDS_PER_BLOCK;
  for (uint32_t card = 0; (card = spgc_cards_next_dirty(cards, card, end)) < end; card++) {
    cards[card] = SPGC_CARD_CLEAN;
    uintptr_t from = object + ((uintptr_t)card << SPGC_CARD_SHIFT);
    struct spgc_window window = {from, from + SPGC_CARD_BYTES, visit, context};
    spgc_object_visit_within(object, type, &window);
  }
}

/* Every slot of an old object that lies on a dirty card; the cards are clean afterwards. */
SPGC_INLINE void spgc_cards_visit_dirty(struct spgc_heap *heap, spgc_slot_visitor visit, void *context) {
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_cards_visit_dirty_block(heap, i, visit, context);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_cards_visit_dirty_large(heap, i, visit, context);
}

#endif
