/* Card scanning: visits the objects that have a part on a dirty card. The crossing map finds them.
 * A block is swept before its objects are visited. */
#ifndef SPGC_GC_TRACE_CARD_SCAN_H
#define SPGC_GC_TRACE_CARD_SCAN_H

#include "heap/card.h"
#include "heap/crossing_map.h"
#include "heap/object.h"
#include "heap/sweep.h"

/* Visits an object with a part on the dirty card [from, to). The object may begin before the card
 * and end behind it. */
typedef void (*spgc_dirty_visitor)(void *context, struct spgc_ref object, uintptr_t from,
                                   uintptr_t to);

enum { SPGC_CARD_BATCH = 16 }; /* cards prefetched before the first of them is scanned */

static inline uintptr_t spgc_card_start(const struct spgc_heap *heap, size_t card) {
  return heap->base + ((uintptr_t)card << SPGC_CARD_SHIFT);
}

/* Prefetches the card's memory and metadata, and the cache line before it, because the card's first
 * object may begin there. */
SPGC_INLINE void spgc_card_fetch(const struct spgc_heap *heap, size_t card) {
  enum { CACHE_LINE = 64 };
  uintptr_t start = spgc_card_start(heap, card);
  for (uintptr_t line = start - CACHE_LINE; line < start + SPGC_CARD_BYTES; line += CACHE_LINE)
    __builtin_prefetch((void *)line);
  spgc_crossing_map_fetch(heap, card);
}

/* A search for the dirty cards of old blocks. */
struct spgc_dirty_cards {
  size_t card, card_end; /* cards of the block that is searched and were not looked at yet */
  uint32_t block;        /* the next dirty one, whose cards are prefetched; or `end` */
  uint32_t end;          /* behind the last block to search */
  uint32_t found;        /* dirty blocks so far */
};

SPGC_INLINE void spgc_dirty_cards_find_block(const struct spgc_heap *heap,
                                             struct spgc_dirty_cards *cards, uint32_t index) {
  cards->block = spgc_dirty_blocks_next(heap, index, cards->end);
  if (cards->block < cards->end)
    for (size_t line = 0; line < SPGC_CARDS_PER_BLOCK; line += SPGC_CARD_LINE)
      __builtin_prefetch(spgc_cards_of_block(heap, cards->block) + line);
}

/* Of the blocks [first, end). */
SPGC_INLINE struct spgc_dirty_cards spgc_dirty_cards_of(const struct spgc_heap *heap,
                                                        uint32_t first, uint32_t end) {
  struct spgc_dirty_cards cards = {.end = end};
  spgc_dirty_cards_find_block(heap, &cards, first);
  return cards;
}

/* False if no dirty block is left. */
SPGC_INLINE bool spgc_dirty_cards_enter_block(struct spgc_heap *heap,
                                              struct spgc_dirty_cards *cards, uint8_t next) {
  uint32_t index = cards->block;
  if (index >= cards->end)
    return false;
  if (next != SPGC_CARD_DIRTY)
    heap->block_cards[index] = SPGC_CARD_CLEAN;
  cards->found++;
  cards->card = (size_t)index * SPGC_CARDS_PER_BLOCK;
  cards->card_end = cards->card + SPGC_CARDS_PER_BLOCK;
  spgc_dirty_cards_find_block(heap, cards, index + 1);
  return true;
}

/* Takes the next dirty cards: sets them to state `next` and prefetches their memory. Returns how
 * many. */
SPGC_INLINE uint32_t spgc_dirty_cards_take(struct spgc_heap *heap, struct spgc_dirty_cards *cards,
                                           uint8_t next, size_t batch[SPGC_CARD_BATCH]) {
  uint32_t count = 0;
  while (count < SPGC_CARD_BATCH) {
    cards->card = spgc_cards_next(heap->cards, cards->card, cards->card_end, SPGC_CARD_DIRTY);
    if (cards->card < cards->card_end) {
      spgc_card_fetch(heap, cards->card);
      heap->cards[cards->card] = next;
      batch[count++] = cards->card++;
    } else if (!spgc_dirty_cards_enter_block(heap, cards, next)) {
      break;
    }
  }
  return count;
}

/* Visits the objects on a card of an old block of small objects. */
SPGC_INLINE void spgc_cards_visit_small(struct spgc_heap *heap, size_t card,
                                        spgc_dirty_visitor visit, void *context) {
  uintptr_t from = spgc_card_start(heap, card), to = from + SPGC_CARD_BYTES;
  struct spgc_ref object = spgc_crossing_map_find(heap, (uint32_t)(card / SPGC_CARDS_PER_BLOCK),
                                                  card % SPGC_CARDS_PER_BLOCK);
  while (object.word < to) {
    visit(context, object, from, to);
    object = spgc_object_next(object);
  }
}

/* Visits the objects on a card of an old block. Returns whether the block holds small objects. */
SPGC_INLINE bool spgc_cards_visit_card(struct spgc_heap *heap, size_t card,
                                       spgc_dirty_visitor visit, void *context) {
  uint32_t index = (uint32_t)(card / SPGC_CARDS_PER_BLOCK);
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space == SPGC_SPACE_OLD) {
    spgc_sweep_block(heap, index);
    spgc_cards_visit_small(heap, card, visit, context);
  } else {
    uintptr_t from = spgc_card_start(heap, card);
    uint32_t head = space == SPGC_SPACE_LARGE_REST ? heap->blocks[index].head : index;
    visit(context, spgc_heap_first_object(heap, head), from, from + SPGC_CARD_BYTES);
  }
  return space == SPGC_SPACE_OLD;
}

/* Visits every object of old blocks in [first, end) with a part on a dirty card, once for each such
 * card. The cards are set to state `next`, and `read` counts them. */
SPGC_INLINE void spgc_cards_visit_dirty(struct spgc_heap *heap, uint32_t first, uint32_t end,
                                        uint8_t next, spgc_dirty_visitor visit, void *context,
                                        struct spgc_cards_read *read) {
  size_t batch[SPGC_CARD_BATCH];
  struct spgc_dirty_cards cards = spgc_dirty_cards_of(heap, first, end);
  for (uint32_t count; (count = spgc_dirty_cards_take(heap, &cards, next, batch)) != 0;
       read->all += count)
    for (uint32_t i = 0; i < count; i++)
      read->small += spgc_cards_visit_card(heap, batch[i], visit, context);
  read->blocks += cards.found;
}

#endif
