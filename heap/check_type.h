/* Whether a word can be a type descriptor's address. */
#ifndef SPGC_HEAP_CHECK_TYPE_H
#define SPGC_HEAP_CHECK_TYPE_H

#include "heap/heap.h"

/* NULL when `header` is the address of a plausible descriptor, else what is wrong with it. Reads it without trusting
 * that the memory exists. */
const char *spgc_check_type(const struct spgc_heap *heap, uintptr_t header);

#endif
