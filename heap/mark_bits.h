/* Mark bits: one per word of the range, set for the first word of an object found live.
 *
 * Between marking and sweeping the bits of a block tell what lives in it; at all other times they are clear.
 */
#ifndef SPGC_HEAP_MARK_BITS_H
#define SPGC_HEAP_MARK_BITS_H

#include <string.h>

#include "heap/heap.h"

SPGC_INLINE bool spgc_mark_bit_test_and_set(struct spgc_heap *heap, uintptr_t object) {
  size_t word = (object - heap->base) / SPGC_WORD_BYTES;
  uint64_t *bits = &heap->marks[0][word / SPGC_MARK_BITS], bit = UINT64_C(1) << word % SPGC_MARK_BITS;
  bool was_set = (*bits & bit) != 0;
  *bits |= bit;
  return was_set;
}

static inline bool spgc_mark_bit_is_set(const struct spgc_heap *heap, uintptr_t object) {
  size_t word = (object - heap->base) / SPGC_WORD_BYTES;
  return (heap->marks[0][word / SPGC_MARK_BITS] >> word % SPGC_MARK_BITS & 1) != 0;
}

static inline void spgc_mark_bits_clear(struct spgc_heap *heap, uint32_t index) {
  memset(heap->marks[index], 0, sizeof heap->marks[index]);
}

/* The first marked object of block `index` at or behind `from`, which lies in it; the block's end if there is none. */
static inline uintptr_t spgc_mark_bits_next(const struct spgc_heap *heap, uint32_t index, uintptr_t from) {
  uintptr_t start = spgc_heap_block_start(heap, index), end = start + SPGC_BLOCK_BYTES;
  if (from == end)
    return end;
  size_t word = (from - start) / SPGC_WORD_BYTES, i = word / SPGC_MARK_BITS;
  uint64_t bits = heap->marks[index][i] & ~UINT64_C(0) << word % SPGC_MARK_BITS;
  while (bits == 0) {
    if (++i == SPGC_MARK_WORDS)
      return end;
    bits = heap->marks[index][i];
  }
  return start + (i * SPGC_MARK_BITS + (size_t)__builtin_ctzll(bits)) * SPGC_WORD_BYTES;
}

#endif
