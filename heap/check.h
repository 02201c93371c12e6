/* An untrusting read of the whole heap. */
#ifndef SPGC_HEAP_CHECK_H
#define SPGC_HEAP_CHECK_H

#include "heap/heap.h"
#include "spgc/result.h"

struct spgc_check {
  struct spgc_heap *heap;
  uint64_t
      *starts; /* one bit per word of the range: an object begins here. NULL before the first run */
  uint32_t starts_low,
      starts_high; /* of the blocks from the one to below the other they are accessible */
};

/* Reads every object: its header is a plausible descriptor outside the heap, the objects tile their
 * block, every reference leads to the first word of an object, every reference from old to young
 * lies on a dirty card, and the heap's counts are right. Sweeps what is to be swept. On success the
 * object starts stay known until the heap changes.
 */
enum spgc_result spgc_check_heap(struct spgc_check *check, struct spgc_error *error);

/* Whether a root, named by `what` in the message, leads to the first word of an object (or outside
 * the heap). After spgc_check_heap succeeded. */
enum spgc_result spgc_check_root(const struct spgc_check *check, const char *what,
                                 struct spgc_slot slot, struct spgc_error *error);

void spgc_check_destroy(struct spgc_check *check);

#endif
