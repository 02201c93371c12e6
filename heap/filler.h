/* Objects in place of free memory, so that objects and fillers tile an old block. */
#ifndef SPGC_HEAP_FILLER_H
#define SPGC_HEAP_FILLER_H

#include "heap/object.h"

extern const struct spgc_type spgc_filler_word;
extern const struct spgc_type spgc_filler_words; /* two words or more */

static inline bool spgc_type_is_filler(uintptr_t type) {
  return type == (uintptr_t)&spgc_filler_word || type == (uintptr_t)&spgc_filler_words;
}

enum { SPGC_FILLER_HEAD_BYTES = 2 * SPGC_WORD_BYTES };

/* `bytes` is a positive multiple of a word. */
SPGC_INLINE void spgc_filler_write(uintptr_t at, size_t bytes) {
  if (bytes == SPGC_WORD_BYTES) {
    spgc_object_set_header((struct spgc_ref){at}, (uintptr_t)&spgc_filler_word);
  } else {
    spgc_object_set_header((struct spgc_ref){at}, (uintptr_t)&spgc_filler_words);
    ((uint64_t *)at)[1] = bytes / SPGC_WORD_BYTES - 2;
  }
}

#endif
