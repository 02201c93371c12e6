/* Cards: which parts of old objects may refer to younger ones.
 *
 * Invariants outside a collection:
 *   a field of an old object that refers to a young object lies on a dirty card;
 *   while marks are kept (gc/trace/mark.h) and no marking is under way, a field of a marked object that refers to an old
 *   object without a mark lies on a dirty or a deferred card.
 * Stores dirty cards (spgc_store and the exchanges, the lowering's barrier). Every collection leaves no young object,
 * hence no dirty card: what was one is deferred while marks are kept, or when a collection left it to the marking
 * under way, and clean otherwise. A marking that begins or goes on reads deferred cards.
 */
#ifndef SPGC_HEAP_CARD_H
#define SPGC_HEAP_CARD_H

#include <string.h>

#include "heap/crossing_map.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/sweep.h"

/* What SPGC_CARD_DIRTY (spgc/thread.h) may become; no bit of it is in SPGC_CARD_DIRTY. */
enum { SPGC_CARD_DEFERRED = 2 };

_Static_assert((SPGC_CARD_DEFERRED & SPGC_CARD_DIRTY) == 0 && SPGC_CARD_CLEAN == 0, "cards are told apart by bits");

/* The state in each byte of a word of cards. */
#define SPGC_CARDS_OF(state) (~UINT64_C(0) / UINT8_MAX * (state))

static inline uint8_t *spgc_card_of(const struct spgc_heap *heap, uintptr_t address) {
  return heap->cards + ((address - heap->base) >> SPGC_CARD_SHIFT);
}

/* What spgc_thread.cards must hold: see SPGC_THREAD_FIELDS. */
static inline uintptr_t spgc_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->cards - (heap->base >> SPGC_CARD_SHIFT);
}

static inline size_t spgc_cards_of_large(const struct spgc_heap *heap, uint32_t index) {
  return (heap->blocks[index].large_bytes + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
}

static inline void spgc_cards_clean_large(struct spgc_heap *heap, uint32_t index) {
  size_t cards = spgc_cards_of_large(heap, index);
  uint8_t *card = heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
  for (size_t i = 0; i < cards; i++)
    if (card[i] != SPGC_CARD_CLEAN)
      card[i] = SPGC_CARD_CLEAN;
}

/* Dirty cards from card `first` of the table on are in state `next` afterwards. Returns how many. */
static inline size_t spgc_cards_retire(struct spgc_heap *heap, size_t first, size_t count, uint8_t next) {
  const uint64_t dirty = SPGC_CARDS_OF(SPGC_CARD_DIRTY);
  uint64_t word;
  size_t passed = 0;
  for (size_t card = first; card < first + count; card += sizeof word) {
    memcpy(&word, heap->cards + card, sizeof word);
    if ((word & dirty) == 0)
      continue;
    passed += (size_t)__builtin_popcountll(word & dirty);
    word = (word & ~dirty) | (word & dirty) / SPGC_CARD_DIRTY * next;
    memcpy(heap->cards + card, &word, sizeof word);
  }
  return passed;
}

/* Old blocks that are neighbours, of small and of large objects. Cards are read in the order of addresses, for which
 * processors are made: in that of heap->old, each block is a wait for memory. */
struct spgc_old_blocks {
  uint32_t first, end;
};

static inline bool spgc_block_is_old(const struct spgc_heap *heap, uint32_t index) {
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space == SPGC_SPACE_LARGE_REST)
    space = spgc_heap_space(heap, heap->blocks[index].head);
  return space == SPGC_SPACE_OLD || space == SPGC_SPACE_OLD_LARGE;
}

/* The first of them in [index, end); none when `first` is `end`. */
static inline struct spgc_old_blocks spgc_old_blocks_find(const struct spgc_heap *heap, uint32_t index, uint32_t end) {
  while (index < end && !spgc_block_is_old(heap, index))
    index++;
  struct spgc_old_blocks found = {index, index};
  while (found.end < end && spgc_block_is_old(heap, found.end))
    found.end++;
  return found;
}

/* When nothing is young, no dirty card needs to be read at once. Returns how many there were. */
static inline size_t spgc_cards_retire_all(struct spgc_heap *heap, uint8_t next) {
  size_t passed = 0;
  for (struct spgc_old_blocks blocks = {heap->low_water, heap->low_water}; blocks.end < heap->high_water;) {
    blocks = spgc_old_blocks_find(heap, blocks.end, heap->high_water);
    passed += spgc_cards_retire(heap, (size_t)blocks.first * SPGC_CARDS_PER_BLOCK,
                              (size_t)(blocks.end - blocks.first) * SPGC_CARDS_PER_BLOCK, next);
  }
  return passed;
}

enum { SPGC_CARD_LINE = 64 }; /* cards looked at together */

SPGC_INLINE bool spgc_cards_are_without(const uint8_t line[SPGC_CARD_LINE], uint8_t state) {
  const uint64_t *words = (const uint64_t *)line;
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARD_LINE / sizeof(uint64_t); i++)
    found |= __atomic_load_n(&words[i], __ATOMIC_RELAXED); /* mutators may dirty cards */
  return (found & SPGC_CARDS_OF(state)) == 0;
}

/* The first card of that state in [card, end) of the table, or `end`. Most cards are of none, and passed a line or a
 * word at a time. */
SPGC_INLINE size_t spgc_cards_next(const struct spgc_heap *heap, size_t card, size_t end, uint8_t state) {
  const uint8_t *cards = heap->cards;
  while (card < end) {
    uint64_t word;
    if (card % SPGC_CARD_LINE == 0 && end - card >= SPGC_CARD_LINE && spgc_cards_are_without(cards + card, state)) {
      card += SPGC_CARD_LINE;
      continue;
    }
    if (card % sizeof word == 0 && end - card >= sizeof word) {
      word = __atomic_load_n((const uint64_t *)(cards + card), __ATOMIC_RELAXED);
      if ((word & SPGC_CARDS_OF(state)) == 0) {
        card += sizeof word;
        continue;
      }
    }
    if ((__atomic_load_n(&cards[card], __ATOMIC_RELAXED) & state) != 0)
      return card;
    card++;
  }
  return end;
}

/* Sees an object with a part on a dirty card: [from, to). Other objects may end or begin there. */
typedef void (*spgc_dirty_visitor)(void *context, uintptr_t object, uintptr_t from, uintptr_t to);

enum { SPGC_CARD_BATCH = 16 }; /* fetched before the first of them is read */

static inline uintptr_t spgc_card_start(const struct spgc_heap *heap, size_t card) {
  return heap->base + ((uintptr_t)card << SPGC_CARD_SHIFT);
}

/* To be read soon: the card, with the end of the line before it, where its first object may begin. */
SPGC_INLINE void spgc_card_fetch(const struct spgc_heap *heap, size_t card) {
  enum { CACHE_LINE = 64 };
  uintptr_t start = spgc_card_start(heap, card);
  for (uintptr_t line = start - CACHE_LINE; line < start + SPGC_CARD_BYTES; line += CACHE_LINE)
    __builtin_prefetch((void *)line);
  spgc_crossing_map_fetch(heap, card);
}

/* The next dirty cards in [*card, end) of the table, in state `next` from now on, their memory being fetched; *card
 * moves on. Returns how many. */
SPGC_INLINE uint32_t spgc_cards_take_dirty(struct spgc_heap *heap, size_t *card, size_t end, uint8_t next,
                                           size_t batch[SPGC_CARD_BATCH]) {
  uint32_t count = 0;
  while (count < SPGC_CARD_BATCH && (*card = spgc_cards_next(heap, *card, end, SPGC_CARD_DIRTY)) < end) {
    spgc_card_fetch(heap, *card);
    heap->cards[*card] = next;
    batch[count++] = (*card)++;
  }
  return count;
}

/* The card is of an old block of small objects. */
SPGC_INLINE void spgc_cards_visit_small(struct spgc_heap *heap, size_t card, spgc_dirty_visitor visit, void *context) {
  uintptr_t from = spgc_card_start(heap, card), to = from + SPGC_CARD_BYTES;
  uintptr_t object = spgc_crossing_map_find(heap, (uint32_t)(card / SPGC_CARDS_PER_BLOCK), card % SPGC_CARDS_PER_BLOCK);
  while (object < to) {
    visit(context, object, from, to);
    object += spgc_object_bytes(object, spgc_object_type(object));
  }
}

/* The card is of an old block. Returns whether that is one of small objects. */
SPGC_INLINE bool spgc_cards_visit_card(struct spgc_heap *heap, size_t card, spgc_dirty_visitor visit, void *context) {
  uint32_t index = (uint32_t)(card / SPGC_CARDS_PER_BLOCK);
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space == SPGC_SPACE_OLD) {
    spgc_sweep_block(heap, index);
    spgc_cards_visit_small(heap, card, visit, context);
  } else {
    uintptr_t from = spgc_card_start(heap, card);
    uint32_t head = space == SPGC_SPACE_LARGE_REST ? heap->blocks[index].head : index;
    visit(context, spgc_heap_block_start(heap, head), from, from + SPGC_CARD_BYTES);
  }
  return space == SPGC_SPACE_OLD;
}

/* Every object of old blocks in [first, end) with a part on a dirty card, once for each of these cards, which are in
 * state `next` afterwards and counted. */
SPGC_INLINE void spgc_cards_visit_dirty(struct spgc_heap *heap, uint32_t first, uint32_t end, uint8_t next,
                                        spgc_dirty_visitor visit, void *context, struct spgc_cards_read *read) {
  size_t batch[SPGC_CARD_BATCH];
  uint32_t count;
  for (struct spgc_old_blocks blocks = {first, first}; blocks.end < end;) {
    blocks = spgc_old_blocks_find(heap, blocks.end, end);
    size_t card = (size_t)blocks.first * SPGC_CARDS_PER_BLOCK, last = (size_t)blocks.end * SPGC_CARDS_PER_BLOCK;
    while ((count = spgc_cards_take_dirty(heap, &card, last, next, batch)) != 0) {
      for (uint32_t i = 0; i < count; i++)
        read->small += spgc_cards_visit_card(heap, batch[i], visit, context);
      read->all += count;
    }
  }
}

#endif
