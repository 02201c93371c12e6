/* Fillers: objects without references that stand where nothing lives.
 *
 * Invariant: an old block is tiled by objects from its first byte to its last, fillers included,
 * whenever it is read.
 */
#ifndef SPGC_HEAP_FILLER_H
#define SPGC_HEAP_FILLER_H

#include "heap/object.h"

extern const struct spgc_type spgc_filler_word;  /* one word */
extern const struct spgc_type spgc_filler_words; /* two words or more */

/* Header and length of the latter. */
enum { SPGC_FILLER_HEAD_BYTES = 2 * SPGC_WORD_BYTES };

/* `bytes` is a multiple of a word, and not 0. */
SPGC_INLINE void spgc_filler_write(uintptr_t at, size_t bytes) {
  if (bytes == SPGC_WORD_BYTES) {
    spgc_object_set_header(at, (uintptr_t)&spgc_filler_word);
  } else {
    spgc_object_set_header(at, (uintptr_t)&spgc_filler_words);
    ((uint64_t *)at)[1] = bytes / SPGC_WORD_BYTES - 2;
  }
}

#endif
