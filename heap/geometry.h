/* Every size derives from the block and the card.
 *
 *   range   base                                                              base + size
 *           | untouched ... | block low_water | ... | block high_water - 1 | untouched ... |
 *   block   | object | object | ... | object | unused |
 *           0                                top      SPGC_BLOCK_BYTES
 *   card    SPGC_CARD_BYTES of the range have one byte in the card table */
#ifndef SPGC_HEAP_GEOMETRY_H
#define SPGC_HEAP_GEOMETRY_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/thread.h"

enum {
  SPGC_WORD_BYTES = 8,
  SPGC_BLOCK_SHIFT = 15,
  SPGC_BLOCK_BYTES = 1 << SPGC_BLOCK_SHIFT,
  SPGC_CARD_BYTES = 1 << SPGC_CARD_SHIFT,
  SPGC_CARDS_PER_BLOCK = SPGC_BLOCK_BYTES / SPGC_CARD_BYTES,
  SPGC_CARDS_PER_GROUP = 1 << (SPGC_GROUP_CARD_SHIFT - SPGC_CARD_SHIFT),
  SPGC_GROUPS_PER_BLOCK = SPGC_CARDS_PER_BLOCK / SPGC_CARDS_PER_GROUP,
  SPGC_LARGEST_SMALL = SPGC_BLOCK_BYTES / 4, /* a larger object owns a run of blocks */
  SPGC_MARK_BITS = 64,                       /* in a word */
  SPGC_MARK_WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES / SPGC_MARK_BITS,
  SPGC_COMMIT_BLOCKS = 32,
  SPGC_DUMP_BLOCKS = 8 * SPGC_COMMIT_BLOCKS, /* beyond the accessible ones */
  SPGC_MOST_WORKERS = 16,
};

/* 64 TiB, half of a process's address space. */
#define SPGC_MOST_BLOCKS ((size_t)1 << 31)

_Static_assert(sizeof(uintptr_t) == SPGC_WORD_BYTES, "the library is for 64-bit machines");
_Static_assert(SPGC_CARDS_PER_BLOCK % SPGC_CARDS_PER_GROUP == 0, "groups tile a block");
_Static_assert(SPGC_BLOCK_BYTES / SPGC_WORD_BYTES <= UINT16_MAX,
               "a crossing is a word index in 16 bits");
_Static_assert(SPGC_LARGEST_SMALL % SPGC_WORD_BYTES == 0, "objects are made of words");

static inline size_t spgc_blocks_for(size_t bytes) {
  return bytes / SPGC_BLOCK_BYTES + (bytes % SPGC_BLOCK_BYTES != 0);
}

#endif
