/* Listeners and the hook, which may use the thread's reserve. The hook "runs" from before the first
 * listener until it returns or is left. */
#ifndef SPGC_GC_ALLOCATION_OUT_OF_MEMORY_H
#define SPGC_GC_ALLOCATION_OUT_OF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/mutator/world.h"

/* May not return. Ignored while the hook runs. `futile_collections` as in
 * spgc_out_of_memory_event. */
void spgc_out_of_memory_report(size_t requested_bytes, uint32_t futile_collections);

bool spgc_out_of_memory_hook_runs(const struct spgc_mutator *mutator);

void spgc_out_of_memory_collected(struct spgc_stopped_world world, size_t freed_blocks);

#endif
