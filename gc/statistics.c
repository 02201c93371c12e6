#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"

void spgc_statistics_read(struct spgc_statistics *statistics) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  spgc_caller();
  spgc_require_use(statistics != NULL, "no structure for the statistics is given");
  spgc_world_lock();
  spgc_runtime_lock_heap();
  *statistics = runtime->statistics;
  statistics->allocated_bytes += spgc_world_tlab_bytes(&runtime->heap);
  statistics->heap_bytes = (uint64_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES;
  statistics->peak_heap_bytes = (uint64_t)runtime->heap.peak_blocks * SPGC_BLOCK_BYTES;
  spgc_runtime_unlock_heap();
  spgc_world_unlock();
}
