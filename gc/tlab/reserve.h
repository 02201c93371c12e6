/* Memory that only a thread's out-of-memory hook may use.
 *
 * Equation: policy.limit.reserve_blocks == sum of reserve.blocks.
 *
 * A thread can attach only if its reserve is complete. Blocks that a hook takes count as used;
 * collections that find free memory refill the reserve.
 *
 * All accesses hold the heap lock, or have the world stopped. */
#ifndef SPGC_GC_TLAB_RESERVE_H
#define SPGC_GC_TLAB_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

struct spgc_reserve {
  size_t blocks;
  size_t advanced_blocks; /* to the running hook, beyond those that collections freed */
  bool is_promised;       /* was complete once */
};

/* Takes what the limit admits, with copies. Returns whether it is promised. */
bool spgc_reserve_take(struct spgc_reserve *reserve);

/* After a collection. *freed_blocks are those that no other reserve has taken. */
void spgc_reserve_refill(struct spgc_reserve *reserve, bool hook_runs, size_t *freed_blocks);

void spgc_reserve_release(struct spgc_reserve *reserve);

/* Whether the limit admits blocks above all reserves or, for a running hook, `from` its own. Without
 * one, first takes, as above. */
bool spgc_reserve_admits(struct spgc_reserve *reserve, bool hook_runs, size_t blocks, bool is_large,
                         bool *from);

/* The hook has taken blocks, perhaps more than are left. */
void spgc_reserve_use(struct spgc_reserve *reserve, size_t blocks);

#endif
