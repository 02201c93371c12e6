/* Mark bits: one per word of the range. The bit of an object's first word tells that it is marked; once it is scanned,
 * all its words have theirs, so that sweeping finds what is free without reading what lives.
 *
 * Between marking and sweeping the bits of a block tell what lives in it; at all other times they are clear.
 */
#ifndef SPGC_HEAP_MARK_BITS_H
#define SPGC_HEAP_MARK_BITS_H

#include <string.h>

#include "heap/heap.h"

/* The bits that word `word` of the range has one of. */
SPGC_INLINE uint64_t *spgc_mark_bits_of(const struct spgc_heap *heap, size_t word) {
  return (uint64_t *)heap->marks + word / SPGC_MARK_BITS;
}

SPGC_INLINE bool spgc_mark_bit_test_and_set(struct spgc_heap *heap, uintptr_t object) {
  size_t word = (object - heap->base) / SPGC_WORD_BYTES;
  uint64_t *bits = spgc_mark_bits_of(heap, word), bit = UINT64_C(1) << word % SPGC_MARK_BITS;
  bool was_set = (*bits & bit) != 0;
  *bits |= bit;
  return was_set;
}

static inline bool spgc_mark_bit_is_set(const struct spgc_heap *heap, uintptr_t object) {
  size_t word = (object - heap->base) / SPGC_WORD_BYTES;
  return (*spgc_mark_bits_of(heap, word) >> word % SPGC_MARK_BITS & 1) != 0;
}

static inline void spgc_mark_bits_clear(struct spgc_heap *heap, uint32_t index) {
  memset(heap->marks[index], 0, sizeof heap->marks[index]);
}

/* Marks every word of a small object. */
SPGC_INLINE void spgc_mark_bits_cover(struct spgc_heap *heap, uintptr_t object, size_t bytes) {
  size_t word = (object - heap->base) / SPGC_WORD_BYTES, left = bytes / SPGC_WORD_BYTES;
  uint64_t *bits = spgc_mark_bits_of(heap, word);
  for (size_t from = word % SPGC_MARK_BITS; left != 0; bits++, from = 0) {
    size_t count = left < SPGC_MARK_BITS - from ? left : SPGC_MARK_BITS - from;
    *bits |= ~UINT64_C(0) >> (SPGC_MARK_BITS - count) << from;
    left -= count;
  }
}

/* The first word at or behind `word` of a block whose bit is not that of `flipped` (0: a set bit; ~0: a clear one), or
 * the number of the block's words. */
static inline size_t spgc_mark_bits_next(const spgc_mark_words marks, size_t word, uint64_t flipped) {
  size_t i = word / SPGC_MARK_BITS;
  if (i == SPGC_MARK_WORDS)
    return word;
  uint64_t bits = (marks[i] ^ flipped) & ~UINT64_C(0) << word % SPGC_MARK_BITS;
  while (bits == 0) {
    if (++i == SPGC_MARK_WORDS)
      return (size_t)SPGC_MARK_WORDS * SPGC_MARK_BITS;
    bits = marks[i] ^ flipped;
  }
  return i * SPGC_MARK_BITS + (size_t)__builtin_ctzll(bits);
}

#define SPGC_MARK_BITS_SET UINT64_C(0)
#define SPGC_MARK_BITS_CLEAR (~UINT64_C(0))

#endif
