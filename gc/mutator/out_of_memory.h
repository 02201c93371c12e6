/* Out of memory: listeners and the hook, and the reserve that they may use. The hook stands for
 * both below: it "runs" from before the first listener is told until it returns or is left.
 *
 * Equation: policy.limit.reserve_blocks == sum of mutator.reserve_blocks.
 *
 * Each attached thread has a reserve of SPGC_RESERVE_BYTES below the limit, which only its own hook
 * may use. A thread can attach only if its reserve is complete. Blocks that a hook has taken count
 * as used; the reserve is completed again when a collection finds free memory.
 */
#ifndef SPGC_GC_MUTATOR_OUT_OF_MEMORY_H
#define SPGC_GC_MUTATOR_OUT_OF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/mutator/world.h"

struct spgc_mutator;

/* Tells the listeners and calls the hook. They may use the thread's reserve, and may not return. If
 * memory runs out again meanwhile, neither is told again. `futile_collections` is 0, or as in
 * spgc_out_of_memory_event. */
void spgc_out_of_memory_report(size_t requested_bytes, uint32_t futile_collections);

/* Whether the mutator's hook runs. */
bool spgc_out_of_memory_hook_runs(const struct spgc_mutator *mutator);

/* The functions below are called under the heap lock, or with the world stopped. */

/* Enlarges the mutator's reserve as far as the limit admits it, with room for its copies. Returns
 * whether it is promised: it was complete once. */
bool spgc_out_of_memory_take_reserve(struct spgc_mutator *mutator);

/* Completes the reserve again if the hook was left. Called before the mutator takes memory. */
void spgc_out_of_memory_restore_reserve(struct spgc_mutator *mutator);

/* Completes the reserves of all mutators after a collection that freed so many blocks. */
void spgc_out_of_memory_collected(struct spgc_stopped_world world, size_t freed_blocks);

/* Releases the reserve of a thread that detaches. */
void spgc_out_of_memory_give_reserve(struct spgc_mutator *mutator);

/* Whether the mutator's hook runs and may take so much, beside the reserves of other threads. */
bool spgc_out_of_memory_may_use(const struct spgc_mutator *mutator, size_t small_bytes,
                                size_t large_blocks);

/* Reduces the mutator's reserve by blocks that its hook has taken: to nothing, if they are more. */
void spgc_out_of_memory_use_reserve(struct spgc_mutator *mutator, size_t blocks);

#endif
