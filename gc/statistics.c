#include "gc/mutator.h"
#include "gc/runtime.h"

void spgc_statistics_read(struct spgc_statistics *statistics) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_mutator *mutator = spgc_mutator_self();
  *statistics = runtime->statistics;
  statistics->allocated_bytes += spgc_mutator_area_bytes(mutator, &runtime->heap);
  statistics->heap_bytes = (uint64_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES;
  statistics->peak_heap_bytes = (uint64_t)runtime->heap.peak_blocks * SPGC_BLOCK_BYTES;
}
