/* Neither a descriptor's address nor in the heap. */
#ifndef SPGC_HEAP_POISON_H
#define SPGC_HEAP_POISON_H

#include <stdint.h>

#define SPGC_POISON_WORD UINT64_C(0xdead57a1edead57a)   /* vacated memory */
#define SPGC_HANDLE_POISON UINT64_C(0xdead5c0bedead5c0) /* in a closed scope */

static inline void spgc_poison(uintptr_t from, uintptr_t to) {
  for (uint64_t *word = (uint64_t *)from; word < (uint64_t *)to; word++)
    *word = SPGC_POISON_WORD;
}

#endif
