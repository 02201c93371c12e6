/* A growing array in its own mapping: unlike malloc, it works in a forked child and in a stopped
 * world. A fork may interrupt any operation: the child starts a new array. */
#ifndef SPGC_OBSERVE_MAPPED_ARRAY_H
#define SPGC_OBSERVE_MAPPED_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "support/hash_index.h"

/* Empty if all zero. */
struct spgc_mapped_array {
  unsigned char *bytes;
  size_t used, capacity;
};

/* Zeroed, valid until more are added. NULL if the system refuses memory. */
void *spgc_mapped_array_add(struct spgc_mapped_array *array, size_t bytes);

/* Room for `bytes` in all; the caller keeps its own count. */
bool spgc_mapped_array_reserve(struct spgc_mapped_array *array, size_t bytes);
void spgc_mapped_array_free(struct spgc_mapped_array *array);

extern const struct spgc_hash_memory spgc_mapped_memory;

#define SPGC_MAPPED_AT(array, type, index) (&((type *)(void *)(array)->bytes)[index])
#define SPGC_MAPPED_COUNT(array, type) ((array)->used / sizeof(type))

#endif
