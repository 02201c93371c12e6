/* An array that keeps each distinct run of elements once.
 *
 * Elements are compared as bytes, so padding must be zero.
 */
#ifndef SPGC_STACKWALK_FLAT_POOL_H
#define SPGC_STACKWALK_FLAT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/array.h"

struct flat_pool {
  struct array elements;
  /* Struct flat_run, a hash table: open addressing, the capacity a power of two. */
  struct array runs;
  size_t run_count;
};

/* An empty pool with elements of this size. */
struct flat_pool spgc_flat_pool_of(size_t element_size);

/* Puts the run in the pool, unless an equal run is there, and gives its index; false when out of
 * memory. An empty run is at 0. */
bool spgc_flat_pool_add(struct flat_pool *pool, const void *run, size_t count, uint32_t *first);

void spgc_flat_pool_free(struct flat_pool *pool);

#endif
