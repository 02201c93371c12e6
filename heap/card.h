/* Cards: which parts of old objects may refer to younger ones. A block card, one for each block,
 * says whether any card of the block may be dirty, so that nobody searches the cards of others.
 *
 *   clean, deferred  --- a mutator stores a reference -----------> dirty
 *   dirty            --- a collection scans or retires the card -> clean or deferred
 *   deferred         --- a marking scans the card ---------------> clean
 *
 * Invariants outside a collection:
 *   a block with a dirty card has a dirty block card;
 *   a field of an old object that refers to a young object lies on a dirty card, unless objects
 *   were born old since the last collection (heap/filling.h);
 *   a field of an object that a marking has scanned, and that refers to an old object without a
 *   mark, lies on a dirty or a deferred card. While marks are kept (gc/trace/mark.h) and no marking
 *   is under way, that is every marked object.
 *
 * Mutators dirty cards: spgc_store, the atomic exchanges, and the barrier that the lowering adds.
 * Every collection leaves no young object, hence no dirty card. It makes its dirty cards deferred
 * if marks are kept, or if it leaves them to the marking under way, and clean otherwise. A marking
 * scans the deferred cards when it begins and as it goes on.
 */
#ifndef SPGC_HEAP_CARD_H
#define SPGC_HEAP_CARD_H

#include <string.h>

#include "heap/heap.h"

/* The third state, beside those of spgc/thread.h. It shares no bit with SPGC_CARD_DIRTY. */
enum { SPGC_CARD_DEFERRED = 2 };

_Static_assert((SPGC_CARD_DEFERRED & SPGC_CARD_DIRTY) == 0 && SPGC_CARD_CLEAN == 0,
               "cards are told apart by bits");

/* A word of cards that are all in `state`. */
#define SPGC_CARDS_OF(state) (~UINT64_C(0) / UINT8_MAX * (state))

static inline uint8_t *spgc_card_of(const struct spgc_heap *heap, uintptr_t address) {
  return heap->cards + ((address - heap->base) >> SPGC_CARD_SHIFT);
}

/* The value of spgc_thread.cards: see SPGC_THREAD_FIELDS. */
static inline uintptr_t spgc_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->cards - (heap->base >> SPGC_CARD_SHIFT);
}

/* The value of spgc_thread.block_cards. */
static inline uintptr_t spgc_block_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->block_cards - (heap->base >> SPGC_BLOCK_CARD_SHIFT);
}

static inline uint8_t *spgc_cards_of_block(const struct spgc_heap *heap, uint32_t index) {
  return heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
}

/* Cleans all cards of adjacent blocks. */
static inline void spgc_cards_clean(struct spgc_heap *heap, uint32_t index, size_t count) {
  memset(spgc_cards_of_block(heap, index), SPGC_CARD_CLEAN, count * SPGC_CARDS_PER_BLOCK);
  memset(heap->block_cards + index, SPGC_CARD_CLEAN, count);
}

static inline size_t spgc_cards_of_large(const struct spgc_heap *heap, uint32_t index) {
  return (heap->blocks[index].large_bytes + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
}

static inline void spgc_cards_clean_large(struct spgc_heap *heap, uint32_t index) {
  size_t cards = spgc_cards_of_large(heap, index);
  uint8_t *card = spgc_cards_of_block(heap, index);
  for (size_t i = 0; i < cards; i++)
    if (card[i] != SPGC_CARD_CLEAN)
      card[i] = SPGC_CARD_CLEAN;
  memset(heap->block_cards + index, SPGC_CARD_CLEAN, heap->blocks[index].run);
}

enum { SPGC_CARD_LINE = 64 }; /* cards in a cache line */

SPGC_INLINE bool spgc_cards_are_without(const uint8_t line[SPGC_CARD_LINE], uint8_t state) {
  const uint64_t *words = (const uint64_t *)line;
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARD_LINE / sizeof(uint64_t); i++)
    found |= __atomic_load_n(&words[i], __ATOMIC_RELAXED); /* mutators may dirty cards */
  return (found & SPGC_CARDS_OF(state)) == 0;
}

/* The first card in `state` in [card, end) of a table of cards, or of block cards; or `end`. Most
 * cards are in another state, so the loop skips a cache line or a word at a time. */
SPGC_INLINE size_t spgc_cards_next(const uint8_t *cards, size_t card, size_t end, uint8_t state) {
  while (card < end) {
    uint64_t word;
    if (card % SPGC_CARD_LINE == 0 && end - card >= SPGC_CARD_LINE &&
        spgc_cards_are_without(cards + card, state)) {
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

static inline bool spgc_block_is_old(const struct spgc_heap *heap, uint32_t index) {
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space == SPGC_SPACE_LARGE_REST)
    space = spgc_heap_space(heap, heap->blocks[index].head);
  return space == SPGC_SPACE_OLD || space == SPGC_SPACE_OLD_LARGE;
}

/* The first old block in [index, end) whose block card is dirty, or `end`. In the order of
 * addresses, which hardware prefetchers follow. */
static inline uint32_t spgc_dirty_blocks_next(const struct spgc_heap *heap, uint32_t index,
                                              uint32_t end) {
  size_t next = index;
  for (; (next = spgc_cards_next(heap->block_cards, next, end, SPGC_CARD_DIRTY)) < end; next++)
    if (spgc_block_is_old(heap, (uint32_t)next))
      return (uint32_t)next;
  return end;
}

/* Puts the dirty cards of a block into state `next`. Returns how many there were. */
static inline size_t spgc_cards_retire(struct spgc_heap *heap, uint32_t index, uint8_t next) {
  const uint64_t dirty = SPGC_CARDS_OF(SPGC_CARD_DIRTY);
  uint8_t *cards = spgc_cards_of_block(heap, index);
  uint64_t word;
  size_t retired = 0;
  for (size_t card = 0; card < SPGC_CARDS_PER_BLOCK; card += sizeof word) {
    memcpy(&word, cards + card, sizeof word);
    if ((word & dirty) == 0)
      continue;
    retired += (word & dirty) / SPGC_CARD_DIRTY * SPGC_CARDS_OF(1) >> 56; /* a sum of bytes */
    word = (word & ~dirty) | (word & dirty) / SPGC_CARD_DIRTY * next;
    memcpy(cards + card, &word, sizeof word);
  }
  heap->block_cards[index] = SPGC_CARD_CLEAN;
  return retired;
}

/* Retires every dirty card of the heap without a scan. Legal when nothing is young. Returns how
 * many there were. */
static inline size_t spgc_cards_retire_all(struct spgc_heap *heap, uint8_t next) {
  size_t retired = 0;
  for (uint32_t index = heap->low_water;
       (index = spgc_dirty_blocks_next(heap, index, heap->high_water)) < heap->high_water; index++)
    retired += spgc_cards_retire(heap, index, next);
  return retired;
}

#endif
