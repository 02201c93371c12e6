/* An array into which runs of elements are put so that equal runs are there once.
 *
 * Elements are compared as bytes: padding must be zero.
 */
#ifndef SPGC_STACKWALK_FLAT_POOL_H
#define SPGC_STACKWALK_FLAT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/array.h"

struct flat_pool {
  struct array elements;
  struct array
      runs; /* struct flat_run, a hash table: open addressing, the capacity a power of two */
  size_t run_count;
};

/* element_size of a pool that is zero otherwise. */
struct flat_pool spgc_flat_pool_of(size_t element_size);

/* Where the run is in the pool, from now on; false when out of memory. An empty run is at 0. */
bool spgc_flat_pool_add(struct flat_pool *pool, const void *run, size_t count, uint32_t *first);

void spgc_flat_pool_free(struct flat_pool *pool);

#endif
