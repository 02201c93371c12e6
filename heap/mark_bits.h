/* Mark bits: one for each word of the range. docs/heap.md, "Mark bits", says what they show when.
 *
 * Markers set bits, and a relocation those of the blocks that it fills. The sweep clears them
 * unless marks are kept, as do the begin and the abort of a marking (gc/trace/mark.c), the release
 * of pins (gc/weak/pin.c), and freeing a relocated block. */
#ifndef SPGC_HEAP_MARK_BITS_H
#define SPGC_HEAP_MARK_BITS_H

#include <string.h>

#include "heap/heap.h"

/* Constant wherever it is passed, so one source becomes several loops. */
enum spgc_trace_mode {
  SPGC_TRACE_SERIAL,
  SPGC_TRACE_SCANNING, /* one worker, which walks old blocks, so each copy leaves them tiled */
  SPGC_TRACE_PARALLEL  /* several workers, which may walk old blocks */
};

/* Defines NAME_in, which returns the visitor that calls NAME(context, slot, mode). */
#define SPGC_VISITOR_IN_MODES(name)                                                                \
  SPGC_INLINE void name##_serial(void *context, struct spgc_slot slot) {                           \
    name(context, slot, SPGC_TRACE_SERIAL);                                                        \
  }                                                                                                \
  SPGC_INLINE void name##_scanning(void *context, struct spgc_slot slot) {                         \
    name(context, slot, SPGC_TRACE_SCANNING);                                                      \
  }                                                                                                \
  SPGC_INLINE void name##_parallel(void *context, struct spgc_slot slot) {                         \
    name(context, slot, SPGC_TRACE_PARALLEL);                                                      \
  }                                                                                                \
  SPGC_INLINE spgc_slot_visitor name##_in(enum spgc_trace_mode mode) {                             \
    return mode == SPGC_TRACE_SERIAL     ? name##_serial                                           \
           : mode == SPGC_TRACE_SCANNING ? name##_scanning                                         \
                                         : name##_parallel;                                        \
  }

SPGC_INLINE uint64_t *spgc_mark_bits_of(const struct spgc_heap *heap, size_t word) {
  return (uint64_t *)heap->marks + word / SPGC_MARK_BITS;
}

/* Returns the former value. */
SPGC_INLINE uint64_t spgc_mark_bits_add(uint64_t *bits, uint64_t added, enum spgc_trace_mode mode) {
  if (mode == SPGC_TRACE_PARALLEL)
    return __atomic_fetch_or(bits, added, __ATOMIC_RELAXED);
  uint64_t before = *bits;
  *bits = before | added;
  return before;
}

SPGC_INLINE bool spgc_mark_bit_test_and_set(struct spgc_heap *heap, struct spgc_ref object,
                                            enum spgc_trace_mode mode) {
  size_t word = (object.word - heap->base) / SPGC_WORD_BYTES;
  uint64_t *bits = spgc_mark_bits_of(heap, word), bit = UINT64_C(1) << word % SPGC_MARK_BITS;
  if (mode == SPGC_TRACE_PARALLEL && (__atomic_load_n(bits, __ATOMIC_RELAXED) & bit) != 0)
    return true;
  return (spgc_mark_bits_add(bits, bit, mode) & bit) != 0;
}

static inline bool spgc_mark_bit_is_set(const struct spgc_heap *heap, struct spgc_ref object) {
  size_t word = (object.word - heap->base) / SPGC_WORD_BYTES;
  return (__atomic_load_n(spgc_mark_bits_of(heap, word), __ATOMIC_RELAXED) >>
              word % SPGC_MARK_BITS &
          1) != 0;
}

static inline void spgc_mark_bits_clear(struct spgc_heap *heap, uint32_t index) {
  memset(heap->marks[index], 0, sizeof heap->marks[index]);
}

SPGC_INLINE uint64_t spgc_mark_bits_ones(size_t count) {
  return count < SPGC_MARK_BITS ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
}

SPGC_INLINE bool spgc_mark_bits_cover_words(uint64_t *bits, size_t from, size_t count,
                                            enum spgc_trace_mode mode) {
  uint64_t before = spgc_mark_bits_add(bits, spgc_mark_bits_ones(count) << from, mode);
  if (__builtin_expect(from + count > SPGC_MARK_BITS, 0))
    for (size_t done = SPGC_MARK_BITS - from; done < count; done += SPGC_MARK_BITS)
      spgc_mark_bits_add(++bits, spgc_mark_bits_ones(count - done), mode);
  return (before >> from & 1) != 0;
}

/* Of a small object. Returns whether its first bit was set. */
SPGC_INLINE bool spgc_mark_bits_cover(struct spgc_heap *heap, struct spgc_ref object, size_t bytes,
                                      enum spgc_trace_mode mode) {
  size_t word = (object.word - heap->base) / SPGC_WORD_BYTES;
  return spgc_mark_bits_cover_words(spgc_mark_bits_of(heap, word), word % SPGC_MARK_BITS,
                                    bytes / SPGC_WORD_BYTES, mode);
}

/* The first word at or after `word` whose bit differs from those of `flipped`, or the number of
 * words of a block. */
static inline size_t spgc_mark_bits_next(const spgc_mark_words marks, size_t word,
                                         uint64_t flipped) {
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

/* ---- Tiles: the objects and fillers of an old block ----
 *
 * In an unswept block, a tile is a marked object, or the unmarked memory before one, which is not
 * read: descriptors may be gone. */

SPGC_INLINE bool spgc_tile_is_unswept(const struct spgc_heap *heap, uint32_t index,
                                      struct spgc_ref tile) {
  return __builtin_expect(heap->blocks[index].unswept, 0) && !spgc_mark_bit_is_set(heap, tile);
}

/* The first marked object from there on, or the end of the block. */
SPGC_INLINE struct spgc_ref spgc_marked_from(const struct spgc_heap *heap, uint32_t index,
                                             uintptr_t address) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t word = spgc_mark_bits_next(heap->marks[index], (address - start) / SPGC_WORD_BYTES,
                                    SPGC_MARK_BITS_SET);
  return (struct spgc_ref){start + word * SPGC_WORD_BYTES};
}

/* Or the end of the block. */
SPGC_INLINE struct spgc_ref spgc_tile_next(const struct spgc_heap *heap, uint32_t index,
                                           struct spgc_ref tile) {
  return spgc_tile_is_unswept(heap, index, tile) ? spgc_marked_from(heap, index, tile.word)
                                                 : spgc_object_next(tile);
}

#endif
