/* Card scanning: visits the objects that have a part on a dirty card. The crossing map finds them.
 * A block is swept before its objects are visited. */
#ifndef SPGC_HEAP_CARD_SCAN_H
#define SPGC_HEAP_CARD_SCAN_H

#include "heap/card.h"
#include "heap/crossing_map.h"
#include "heap/object.h"
#include "heap/sweep.h"

/* Visits an object with a part on the dirty card [from, to). The object may begin before the card
 * and end behind it. */
typedef void (*spgc_dirty_visitor)(void *context, struct spgc_ref object, uintptr_t from,
                                   uintptr_t to);

/* Cards, and dirty blocks, that are prefetched before the first of them is read. */
enum { SPGC_CARD_BATCH = 16 };

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

/* A search for the dirty cards of the old blocks [next, end), of `blocks[taken, found)`, and of
 * the cards [card, card_end) of the block that is being searched. */
struct spgc_dirty_cards {
  uint32_t next, end;
  size_t card, card_end;
  uint32_t read; /* dirty blocks whose search has begun, for statistics */
  uint32_t taken, found;
  uint32_t blocks[SPGC_CARD_BATCH]; /* dirty, with their cards prefetched */
};

SPGC_INLINE void spgc_dirty_cards_find_blocks(const struct spgc_heap *heap,
                                              struct spgc_dirty_cards *cards) {
  cards->taken = cards->found = 0;
  while (cards->found < SPGC_CARD_BATCH) {
    uint32_t index = spgc_dirty_blocks_next(heap, cards->next, cards->end);
    if (index >= cards->end) {
      cards->next = cards->end;
      break;
    }
    for (size_t line = 0; line < SPGC_CARDS_PER_BLOCK; line += SPGC_CARD_LINE)
      __builtin_prefetch(spgc_cards_of_block(heap, index) + line);
    cards->blocks[cards->found++] = index;
    cards->next = index + 1;
  }
}

/* False if no dirty block is left. */
SPGC_INLINE bool spgc_dirty_cards_enter_block(struct spgc_heap *heap,
                                              struct spgc_dirty_cards *cards, uint8_t next) {
  if (cards->taken == cards->found)
    spgc_dirty_cards_find_blocks(heap, cards);
  if (cards->taken == cards->found)
    return false;
  uint32_t index = cards->blocks[cards->taken++];
  if (next != SPGC_CARD_DIRTY)
    heap->block_cards[index] = SPGC_CARD_CLEAN;
  cards->read++;
  cards->card = (size_t)index * SPGC_CARDS_PER_BLOCK;
  cards->card_end = cards->card + SPGC_CARDS_PER_BLOCK;
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
  struct spgc_dirty_cards cards = {.next = first, .end = end};
  for (uint32_t count; (count = spgc_dirty_cards_take(heap, &cards, next, batch)) != 0;
       read->all += count)
    for (uint32_t i = 0; i < count; i++)
      read->small += spgc_cards_visit_card(heap, batch[i], visit, context);
  read->blocks += cards.read;
}

#endif
