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

static inline void spgc_cards_clean_block(struct spgc_heap *heap, uint32_t index) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uint64_t words[SPGC_CARDS_PER_BLOCK / sizeof(uint64_t)], dirty = 0;
  memcpy(words, cards, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    dirty |= words[i];
  if (dirty != 0)
    memset(cards, SPGC_CARD_CLEAN, SPGC_CARDS_PER_BLOCK);
}

/* When nothing is young, no card is of interest. */
static inline void spgc_cards_clean_all(struct spgc_heap *heap) {
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_cards_clean_block(heap, i);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_cards_clean_large(heap, i);
}

enum { SPGC_CARD_LINE = 64 }; /* cards looked at together */

SPGC_INLINE bool spgc_cards_are_clean(const uint8_t line[SPGC_CARD_LINE]) {
  uint64_t words[SPGC_CARD_LINE / sizeof(uint64_t)], dirty = 0;
  memcpy(words, line, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    dirty |= words[i];
  return dirty == 0;
}

/* The first dirty card in [card, end), or `end`. Most cards are clean, and passed a line or a word at a time. */
SPGC_INLINE uint32_t spgc_cards_next_dirty(const uint8_t *cards, uint32_t card, uint32_t end) {
  while (card < end) {
    uint64_t word;
    if (card % SPGC_CARD_LINE == 0 && end - card >= SPGC_CARD_LINE && spgc_cards_are_clean(cards + card)) {
      card += SPGC_CARD_LINE;
      continue;
    }
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

enum { SPGC_DIRTY_BATCH = 16 };

/* The next dirty cards in [*card, end), cleaned, their memory being fetched; *card moves on. Returns how many. */
SPGC_INLINE uint32_t spgc_cards_take_dirty(uint8_t *cards, uintptr_t start, uint32_t *card, uint32_t end,
                                           uint32_t batch[SPGC_DIRTY_BATCH]) {
  enum { CACHE_LINE = 64 };
  uint32_t count = 0;
  while (count < SPGC_DIRTY_BATCH && (*card = spgc_cards_next_dirty(cards, *card, end)) < end) {
    uintptr_t from = start + ((uintptr_t)*card << SPGC_CARD_SHIFT);
    for (uintptr_t line = from; line < from + SPGC_CARD_BYTES; line += CACHE_LINE)
      __builtin_prefetch((void *)line);
    cards[*card] = SPGC_CARD_CLEAN;
    batch[count++] = (*card)++;
  }
  return count;
}

SPGC_INLINE void spgc_cards_visit_card(struct spgc_heap *heap, uint32_t index, uint32_t card, spgc_dirty_visitor visit,
                                       void *context) {
  uintptr_t from = spgc_heap_block_start(heap, index) + ((uintptr_t)card << SPGC_CARD_SHIFT);
  uintptr_t to = from + SPGC_CARD_BYTES, object = spgc_crossing_find(heap, index, card);
  while (object < to) {
    visit(context, object, from, to);
    object += spgc_object_bytes(object, spgc_object_type(object));
  }
}

SPGC_INLINE size_t spgc_cards_visit_dirty_block(struct spgc_heap *heap, uint32_t index, spgc_dirty_visitor visit,
                                                void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uint32_t batch[SPGC_DIRTY_BATCH], card = 0, count;
  size_t sum = 0;
  while ((count = spgc_cards_take_dirty(cards, spgc_heap_block_start(heap, index), &card, SPGC_CARDS_PER_BLOCK,
                                        batch)) != 0) {
    spgc_sweep_block(heap, index);
    for (uint32_t i = 0; i < count; i++)
      spgc_cards_visit_card(heap, index, batch[i], visit, context);
    sum += count;
  }
  return sum;
}

/* Of the large object at block `index`: its cards [card, end). */
SPGC_INLINE size_t spgc_cards_visit_dirty_large(struct spgc_heap *heap, uint32_t index, uint32_t card, uint32_t end,
                                                spgc_dirty_visitor visit, void *context) {
  uint8_t *cards = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  uintptr_t object = spgc_heap_block_start(heap, index);
  uint32_t batch[SPGC_DIRTY_BATCH], count;
  size_t sum = 0;
  while ((count = spgc_cards_take_dirty(cards, object, &card, end, batch)) != 0) {
    for (uint32_t i = 0; i < count; i++) {
      uintptr_t from = object + ((uintptr_t)batch[i] << SPGC_CARD_SHIFT);
      visit(context, object, from, from + SPGC_CARD_BYTES);
    }
    sum += count;
  }
  return sum;
}

/* Every old object with a part on a dirty card, once for each; the cards are clean afterwards. Returns how many there
 * were. */
SPGC_INLINE size_t spgc_cards_visit_dirty(struct spgc_heap *heap, spgc_dirty_visitor visit, void *context) {
  size_t count = 0;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count += spgc_cards_visit_dirty_block(heap, i, visit, context);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count += spgc_cards_visit_dirty_large(heap, i, 0, heap->blocks[i].run * SPGC_CARDS_PER_BLOCK, visit, context);
  return count;
}

#endif
