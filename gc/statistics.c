#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "support/sized.h"

static const char call[] = "spgc_statistics_read"; /* what programs in C call */

void spgc_statistics_fill(struct spgc_statistics *statistics) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  spgc_caller_of(call);
  spgc_require(statistics != NULL, "%s: no structure for the statistics is given", call);
  spgc_world_lock();
  spgc_runtime_lock_heap();
  struct spgc_statistics now = runtime->statistics;
  now.allocated_bytes += spgc_world_tlab_bytes(&runtime->heap);
  now.heap_bytes = (uint64_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES;
  now.peak_heap_bytes = (uint64_t)runtime->heap.peak_blocks * SPGC_BLOCK_BYTES;
  spgc_runtime_unlock_heap();
  spgc_world_unlock();
  spgc_sized_write(statistics, &now, sizeof now, call);
}
