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
#include "heap/sweep.h"

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

/* Sees an object with a part on a dirty card: [from, to). Other objects may end or begin there. */
typedef void (*spgc_dirty_visitor)(void *context, uintptr_t object, uintptr_t from, uintptr_t to);

SPGC_INLINE size_t spgc_cards_visit_dirty_block(struct spgc_heap *heap, uint32_t index, spgc_dirty_visitor visit,
                                                void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t count = 0;
  for (uint32_t card = 0; (card = spgc_cards_next_dirty(cards, card, SPGC_CARDS_PER_BLOCK)) < SPGC_CARDS_PER_BLOCK;
       card++, count++) {
    cards[card] = SPGC_CARD_CLEAN;
    spgc_sweep_block(heap, index);
    uintptr_t from = start + ((uintptr_t)card << SPGC_CARD_SHIFT), to = from + SPGC_CARD_BYTES;
    uintptr_t object = spgc_crossing_find(heap, index, card);
    while (object < to) {
      visit(context, object, from, to);
      object += spgc_object_bytes(object, spgc_object_type(object));
    }
  }
  return count;
}

SPGC_INLINE size_t spgc_cards_visit_dirty_large(struct spgc_heap *heap, uint32_t index, spgc_dirty_visitor visit,
                                                void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uintptr_t object = spgc_heap_block_start(heap, index);
  uint32_t end = heap->blocks[index].run * SPGC_CARDS_PER_BLOCK;
  size_t count = 0;
  for (uint32_t card = 0; (card = spgc_cards_next_dirty(cards, card, end)) < end; card++, count++) {
    cards[card] = SPGC_CARD_CLEAN;
    uintptr_t from = object + ((uintptr_t)card << SPGC_CARD_SHIFT);
    visit(context, object, from, from + SPGC_CARD_BYTES);
  }
  return count;
}

/* Every old object with a part on a dirty card, once for each; the cards are clean afterwards. Returns how many there
 * were. */
SPGC_INLINE size_t spgc_cards_visit_dirty(struct spgc_heap *heap, spgc_dirty_visitor visit, void *context) {
  size_t count = 0;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count += spgc_cards_visit_dirty_block(heap, i, visit, context);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count += spgc_cards_visit_dirty_large(heap, i, visit, context);
  return count;
}

#endif
