#include "gc/summary.h"

#include <stdatomic.h>

#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "gc/statistics.h"
#include "observe/log/log_summary.h"
#include "support/cancellation.h"
#include "support/log.h"

/* A summary is still to be logged. Written with the world locked. */
static atomic_bool is_due;

void spgc_summary_begin(void) {
  is_due = spgc_runtime.options.log >= SPGC_LOG_SUMMARY;
}

void spgc_summary_end(void) {
  struct spgc_statistics statistics;
  if (!is_due)
    return;
  is_due = false;
  spgc_statistics_take(&statistics);
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
  spgc_world_unlock();
}
