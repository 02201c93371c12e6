/* Without memory, each function exits with a message, because a snapshot cannot be examined in
 * part. */
#ifndef SPGC_TOOLS_HEAP_MEMORY_H
#define SPGC_TOOLS_HEAP_MEMORY_H

#include <stddef.h>

#include "support/hash_index.h"

/* `count` may be 0. The caller frees it. */
void *memory_zeroed(size_t count, size_t size);

void *memory_array(size_t count, size_t size);

/* `old` may be NULL. */
void *memory_resized(void *old, size_t count, size_t size);

extern const struct spgc_hash_memory memory_of_index;

/* For an array that must grow beyond `count` elements. */
static inline size_t memory_growth(size_t count) {
  return count < 64 ? 128 : count + count / 2;
}

_Noreturn void memory_exhausted(size_t bytes);

#endif
