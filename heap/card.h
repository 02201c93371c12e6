/* Cards: which parts of old objects may refer to younger ones. A group card, one for each cache
 * line of cards, says what cards the group may have, so that nobody searches the cards of others.
 *
 *   clean, deferred  --- a mutator stores a reference -----------> dirty
 *   dirty            --- a collection scans or retires the card -> clean or deferred
 *   deferred         --- a marking scans the card ---------------> clean
 *
 * Invariants outside a collection:
 *   a group with a dirty card has a dirty group card;
 *   a group with a deferred card has a dirty or a deferred group card;
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

/* The value of spgc_thread.group_cards. */
static inline uintptr_t spgc_group_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->group_cards - (heap->base >> SPGC_GROUP_CARD_SHIFT);
}

static inline uint8_t *spgc_cards_of_block(const struct spgc_heap *heap, uint32_t index) {
  return heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK;
}

static inline void spgc_group_cards_clean(struct spgc_heap *heap, uint32_t index, size_t count) {
  memset(heap->group_cards + (size_t)index * SPGC_GROUPS_PER_BLOCK, SPGC_CARD_CLEAN,
         count * SPGC_GROUPS_PER_BLOCK);
}

static inline bool spgc_group_cards_are_clean(const struct spgc_heap *heap, uint32_t index) {
  _Static_assert(SPGC_GROUPS_PER_BLOCK == sizeof(uint32_t), "the states are read as a word");
  return ((const uint32_t *)heap->group_cards)[index] == 0;
}

/* Cleans all cards of adjacent blocks. */
static inline void spgc_cards_clean(struct spgc_heap *heap, uint32_t index, size_t count) {
  memset(spgc_cards_of_block(heap, index), SPGC_CARD_CLEAN, count * SPGC_CARDS_PER_BLOCK);
  spgc_group_cards_clean(heap, index, count);
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
  spgc_group_cards_clean(heap, index, heap->blocks[index].run);
}

SPGC_INLINE bool spgc_cards_are_without(const uint8_t group[SPGC_CARDS_PER_GROUP], uint8_t state) {
  const uint64_t *words = (const uint64_t *)group;
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof(uint64_t); i++)
    found |= __atomic_load_n(&words[i], __ATOMIC_RELAXED); /* mutators may dirty cards */
  return (found & SPGC_CARDS_OF(state)) == 0;
}

/* The cards of a group in `state`, a bit for each, the first card's the lowest. */
SPGC_INLINE uint64_t spgc_cards_of_group(const struct spgc_heap *heap, size_t group,
                                         uint8_t state) {
  const uint64_t gather = UINT64_C(0x0102040810204080); /* the lowest bits of a word's bytes */
  const uint64_t *words = (const uint64_t *)(heap->cards + group * SPGC_CARDS_PER_GROUP);
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof *words; i++) {
    uint64_t word = __atomic_load_n(&words[i], __ATOMIC_RELAXED) & SPGC_CARDS_OF(state);
    found |= word / state * gather >> 56 << i * sizeof *words;
  }
  return found;
}

/* What a group card becomes when the dirty cards of the group get into state `next`. */
SPGC_INLINE uint8_t spgc_group_card_once_read(const struct spgc_heap *heap, size_t group,
                                              uint8_t next) {
  const uint8_t *cards = heap->cards + group * SPGC_CARDS_PER_GROUP;
  bool was_deferred = !spgc_cards_are_without(cards, SPGC_CARD_DEFERRED);
  return next == SPGC_CARD_CLEAN && was_deferred ? SPGC_CARD_DEFERRED : next;
}

static inline bool spgc_block_is_old(const struct spgc_heap *heap, uint32_t index) {
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space == SPGC_SPACE_LARGE_REST)
    space = spgc_heap_space(heap, heap->blocks[index].head);
  return space == SPGC_SPACE_OLD || space == SPGC_SPACE_OLD_LARGE;
}

static inline size_t spgc_first_group(uint32_t index) {
  return (size_t)index * SPGC_GROUPS_PER_BLOCK;
}

/* The first dirty group card in [group, end), or `end`. Most are clean, so the loop skips a cache
 * line or a word of them at a time. */
SPGC_INLINE size_t spgc_group_cards_next(const struct spgc_heap *heap, size_t group, size_t end) {
  const uint8_t *cards = heap->group_cards;
  while (group < end) {
    uint64_t word;
    if (group % SPGC_CARDS_PER_GROUP == 0 && end - group >= SPGC_CARDS_PER_GROUP &&
        spgc_cards_are_without(cards + group, SPGC_CARD_DIRTY)) {
      group += SPGC_CARDS_PER_GROUP;
      continue;
    }
    if (group % sizeof word == 0 && end - group >= sizeof word) {
      word = __atomic_load_n((const uint64_t *)(cards + group), __ATOMIC_RELAXED) &
             SPGC_CARDS_OF(SPGC_CARD_DIRTY);
      if (word == 0) {
        group += sizeof word;
        continue;
      }
      return group + (size_t)__builtin_ctzll(word) / UINT8_WIDTH;
    }
    if ((__atomic_load_n(&cards[group], __ATOMIC_RELAXED) & SPGC_CARD_DIRTY) != 0)
      return group;
    group++;
  }
  return end;
}

/* The first group of an old block in [group, end) whose group card is dirty, or `end`. In the order
 * of addresses, which hardware prefetchers follow. */
static inline size_t spgc_dirty_groups_next(const struct spgc_heap *heap, size_t group,
                                            size_t end) {
  while ((group = spgc_group_cards_next(heap, group, end)) < end) {
    uint32_t index = (uint32_t)(group / SPGC_GROUPS_PER_BLOCK);
    if (spgc_block_is_old(heap, index))
      return group;
    group = spgc_first_group(index + 1);
  }
  return end;
}

/* Puts the dirty cards of a group into state `next`. Returns how many there were. */
static inline size_t spgc_cards_retire(struct spgc_heap *heap, size_t group, uint8_t next) {
  const uint64_t dirty = SPGC_CARDS_OF(SPGC_CARD_DIRTY);
  uint64_t *words = (uint64_t *)(heap->cards + group * SPGC_CARDS_PER_GROUP);
  size_t retired = 0;
  heap->group_cards[group] = spgc_group_card_once_read(heap, group, next);
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof *words; i++) {
    uint64_t word = words[i];
    retired += (word & dirty) / SPGC_CARD_DIRTY * SPGC_CARDS_OF(1) >> 56; /* a sum of bytes */
    words[i] = (word & ~dirty) | (word & dirty) / SPGC_CARD_DIRTY * next;
  }
  return retired;
}

/* Retires every dirty card of the heap without a scan. Legal when nothing is young. Returns how
 * many there were. */
static inline size_t spgc_cards_retire_all(struct spgc_heap *heap, uint8_t next) {
  const size_t end = spgc_first_group(heap->high_water);
  size_t group = spgc_first_group(heap->low_water), retired = 0;
  for (; (group = spgc_dirty_groups_next(heap, group, end)) < end; group++)
    retired += spgc_cards_retire(heap, group, next);
  return retired;
}

#endif
