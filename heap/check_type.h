/* Whether a word can be a type descriptor's address. */
#ifndef SPGC_HEAP_CHECK_TYPE_H
#define SPGC_HEAP_CHECK_TYPE_H

#include "heap/heap.h"

enum { KNOWN_PAGES = 64 };

/* Pages found readable, by hash: finding out takes a system call. Valid for as long as nobody
 * unmaps memory. */
struct spgc_readable_pages {
  uintptr_t known[KNOWN_PAGES]; /* addresses; 0: none */
};

/* NULL when `header` is the address of a plausible descriptor, else what is wrong with it. Reads it
 * without trusting that the memory exists, unless `pages` is NULL. */
const char *spgc_check_type(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                            uintptr_t header);

#endif
