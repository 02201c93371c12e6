/* An array that grows, in memory of its own from the system. Unlike malloc, it can be used in a
 * child of a process with threads, and in a stopped world. A fork may find it in the midst of
 * anything: the child begins with a new one and leaves this alone. */
#ifndef SPGC_OBSERVE_MAPPED_ARRAY_H
#define SPGC_OBSERVE_MAPPED_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "support/hash_index.h"

/* All zero, it is empty. */
struct spgc_mapped_array {
  unsigned char *bytes;
  size_t used, capacity;
};

/* Adds zeroed bytes at the end, and returns their address, which is valid until more are added.
 * NULL if the system refuses memory; the array is unchanged then. */
void *spgc_mapped_array_add(struct spgc_mapped_array *array, size_t bytes);

/* Makes room for so many bytes in all, for a user that keeps a count of its own. */
bool spgc_mapped_array_reserve(struct spgc_mapped_array *array, size_t bytes);

void spgc_mapped_array_free(struct spgc_mapped_array *array);

/* Such memory for an index over the items. */
extern const struct spgc_hash_memory spgc_mapped_memory;

/* The item at an index, and the number of items, of an array of items of one type. */
#define SPGC_MAPPED_AT(array, type, index) (&((type *)(void *)(array)->bytes)[index])
#define SPGC_MAPPED_COUNT(array, type) ((array)->used / sizeof(type))

#endif
