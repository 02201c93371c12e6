/* What happens when a request cannot be met.
 *
 * Below the limit SPGC_RESERVE_BYTES are kept for each attached thread. While its hook runs, they
 * are its own. A reserve is what there is room for beside those of others: a thread is attached
 * when its own is whole; what its hook takes counts as used, until a collection finds room again.
 * Equation: policy.limit.reserve_blocks == sum of mutator.reserve_blocks.
 */
#ifndef SPGC_GC_MUTATOR_OUT_OF_MEMORY_H
#define SPGC_GC_MUTATOR_OUT_OF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "gc/mutator/world.h"

struct spgc_mutator;

/* Calls the hook, which may use the thread's reserve, and may not return. When memory runs out
 * again inside the hook, the hook is not called again. */
void spgc_out_of_memory_report(size_t requested_bytes);

/* What follows is under the heap lock. */

/* Makes the mutator's reserve as large as there is room for. Returns whether it is whole. */
bool spgc_out_of_memory_take_reserve(struct spgc_mutator *mutator);

/* Before the mutator takes memory: what its hook used is kept again, if the hook has been left. */
void spgc_out_of_memory_restore_reserve(struct spgc_mutator *mutator);

/* After a collection: the same for all mutators. */
void spgc_out_of_memory_collected(struct spgc_stopped_world world);

/* The thread is detached. */
void spgc_out_of_memory_give_reserve(struct spgc_mutator *mutator);

/* How much of the reserve a request by this mutator must leave. */
size_t spgc_out_of_memory_kept(const struct spgc_mutator *mutator);

/* The mutator took blocks that were kept. */
void spgc_out_of_memory_use_reserve(struct spgc_mutator *mutator, size_t blocks);

#endif
