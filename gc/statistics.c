#include "gc/statistics.h"

#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "gc/state/stops.h"
#include "support/clock.h"
#include "support/sized.h"

static const char call[] = "spgc_statistics_read"; /* what programs in C call */

void spgc_statistics_take(struct spgc_statistics *statistics) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  spgc_runtime_lock_heap();
  *statistics = runtime->statistics;
  const struct spgc_uncounted uncounted = spgc_world_uncounted();
  statistics->allocated_bytes += uncounted.allocated;
  statistics->born_old_bytes += uncounted.born_old;
  statistics->heap_bytes = (uint64_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES;
  statistics->peak_heap_bytes = (uint64_t)runtime->heap.peak_blocks * SPGC_BLOCK_BYTES;
  spgc_runtime_unlock_heap();
  statistics->elapsed_ns = spgc_clock_ns() - runtime->started_ns;
  spgc_stops_read(statistics);
}

void spgc_statistics_fill(struct spgc_statistics *statistics) {
  struct spgc_statistics now;
  spgc_caller_of(call);
  spgc_require(statistics != NULL, "%s: no structure for the statistics is given", call);
  spgc_world_lock();
  spgc_statistics_take(&now);
  spgc_world_unlock();
  spgc_sized_write(statistics, &now, sizeof now, call);
}
