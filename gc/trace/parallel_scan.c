#include "gc/trace/parallel_scan.h"

#include "support/clock.h"

static bool is_read(const struct spgc_scan_progress *progress) {
  return progress->first >= progress->end && progress->next == SPGC_BLOCK_NONE &&
         progress->next_large == SPGC_BLOCK_NONE;
}

static void copy_in_parallel(struct spgc_evacuation *evacuation) {
  uint64_t begun_ns = spgc_clock_ns();
  spgc_evacuation_drain_parallel(evacuation);
  evacuation->copying_ns += spgc_clock_ns() - begun_ns;
}

/* The stack of worker 0 must be empty before the scan. Entries from the roots lie in blocks that
 * are scanned, so their slots would have two readers.
 */
void spgc_parallel_scan(struct spgc_evacuation *evacuation, struct spgc_scan_progress progress,
                        spgc_worker_task read) {
  if (evacuation->workers[0].worker->stack.count != 0)
    copy_in_parallel(evacuation);
  evacuation->progress = progress;
  do {
    spgc_worker_pool_run(evacuation->parallelism.pool, evacuation->parallelism.extra_workers, read,
                         evacuation);
    copy_in_parallel(evacuation);
  } while (!is_read(&evacuation->progress));
}

bool spgc_parallel_scan_is_worth_it(const struct spgc_evacuation *evacuation, size_t least_blocks) {
  const struct spgc_heap *heap = evacuation->heap;
  return evacuation->parallelism.extra_workers != 0 &&
         (evacuation->parallelism.at_once || heap->old.count + heap->large_blocks >= least_blocks);
}
