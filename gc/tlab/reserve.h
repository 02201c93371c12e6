/* Reserves: memory below the limit that only a thread's out-of-memory hook may use.
 *
 * Equation: policy.limit.reserve_blocks == sum of reserve.blocks.
 *
 * Each attached thread has a reserve of SPGC_RESERVE_BYTES. A thread can attach only if its reserve
 * is complete. Blocks that a hook has taken count as used; the reserve is refilled when a
 * collection finds free memory.
 *
 * All functions are called under the heap lock, or with the world stopped. */
#ifndef SPGC_GC_TLAB_RESERVE_H
#define SPGC_GC_TLAB_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

struct spgc_reserve {
  size_t blocks;
  size_t advanced_blocks; /* of the running hook, beyond those that collections freed */
  bool is_promised;       /* it was complete once */
};

/* As far as the limit admits it, with room for its copies. Returns whether it is promised. */
bool spgc_reserve_take(struct spgc_reserve *reserve);

/* After a collection, which freed *freed_blocks that no other reserve has taken yet. */
void spgc_reserve_refill(struct spgc_reserve *reserve, bool hook_runs, size_t *freed_blocks);

/* For a thread that detaches. */
void spgc_reserve_release(struct spgc_reserve *reserve);

/* Whether a running hook may take this much beside other threads' reserves. */
bool spgc_reserve_admits(const struct spgc_reserve *reserve, size_t small_bytes,
                         size_t large_blocks);

/* By blocks that its hook has taken: to nothing, if they are more. */
void spgc_reserve_use(struct spgc_reserve *reserve, size_t blocks);

#endif
