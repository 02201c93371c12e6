#include "gc/start.h"

#include <stdatomic.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "gc/state/stops.h"
#include "observe/log/log_summary.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/sized.h"

static const char call[] = "spgc_statistics_read"; /* what C programs call */

/* The world is locked, and not stopped. */
static void take(struct spgc_statistics *statistics) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  *statistics = runtime->statistics;
  const struct spgc_uncounted uncounted = spgc_world_uncounted();
  statistics->allocated_bytes += uncounted.allocated;
  statistics->born_old_bytes += uncounted.born_old;
  statistics->heap_bytes = (uint64_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES;
  statistics->peak_heap_bytes = (uint64_t)runtime->heap.peak_blocks * SPGC_BLOCK_BYTES;
  statistics->elapsed_ns = spgc_clock_ns() - runtime->started_ns;
  spgc_stops_read(statistics);
}

void spgc_statistics_fill(struct spgc_statistics *statistics) {
  struct spgc_statistics now;
  spgc_caller_of(call);
  spgc_require(statistics != NULL, "%s: no structure for the statistics is given", call);
  spgc_lock(SPGC_LOCK_WORLD);
  take(&now);
  spgc_unlock(SPGC_LOCK_WORLD);
  spgc_sized_write(statistics, &now, sizeof now, call);
}

/* Written with the world locked. */
static atomic_bool is_due;

void spgc_summary_begin(void) {
  is_due = spgc_runtime.options.log >= SPGC_LOG_SUMMARY;
}

void spgc_summary_end(void) {
  struct spgc_statistics statistics;
  if (!is_due)
    return;
  is_due = false;
  take(&statistics);
  spgc_log_summary(&statistics);
}

/* Other threads may still run, and be stopped. */
__attribute__((destructor)) static void end_at_exit(void) {
  SPGC_UNCANCELLED;
  if (!is_due)
    return;
  if (!spgc_world_lock_at_exit()) {
    spgc_log("summary: none, because the process exits while the world is stopped");
    return;
  }
  spgc_summary_end();
  spgc_unlock(SPGC_LOCK_WORLD);
}
