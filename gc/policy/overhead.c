#include "gc/policy/overhead.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  FUTILE_WINDOWS = 5,
  PERCENT = 100,
  FUTILE_PERCENT = PERCENT - SPGC_OVERHEAD, /* of the limit */
};

void spgc_overhead_start(struct spgc_overhead *overhead, const struct spgc_options *options) {
  *overhead =
      (struct spgc_overhead){.percent = options->overhead == 0 ? SPGC_OVERHEAD : options->overhead};
}

static bool is_for_allocation(enum spgc_reason reason) {
  return reason == SPGC_REASON_NURSERY || reason == SPGC_REASON_LARGE ||
         reason == SPGC_REASON_MARKING || reason == SPGC_REASON_LIMIT;
}

static bool is_futile(const struct spgc_overhead *overhead, const struct spgc_limit *limit) {
  const struct spgc_effort *window = &overhead->window;
  return overhead->begun_ns != 0 &&
         window->freed_blocks * PERCENT < FUTILE_PERCENT * limit->blocks &&
         window->full_ns * PERCENT >= overhead->percent * window->elapsed_ns;
}

static void end_window(struct spgc_overhead *overhead, const struct spgc_limit *limit,
                       uint64_t ended_ns) {
  struct spgc_effort *window = &overhead->window, *spent = &overhead->spent;
  window->elapsed_ns = ended_ns - overhead->begun_ns;
  if (is_futile(overhead, limit)) {
    overhead->futile++;
    spent->elapsed_ns += window->elapsed_ns;
    spent->full_ns += window->full_ns;
    spent->freed_blocks += window->freed_blocks;
  } else {
    spgc_overhead_forget(overhead);
  }
  *window = (struct spgc_effort){0};
  overhead->begun_ns = ended_ns;
}

void spgc_overhead_collected(struct spgc_overhead *overhead, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, const struct spgc_collected *collected) {
  bool ended_marking = collected->full && collected->reason == SPGC_REASON_LIMIT;
  if (overhead->percent == SPGC_OVERHEAD_OFF || !(collected->asked_full || ended_marking) ||
      !is_for_allocation(collected->reason))
    return;
  if (collected->blocks_before > heap->used_blocks)
    overhead->window.freed_blocks += collected->blocks_before - heap->used_blocks;
  overhead->window.full_ns += collected->ended_ns - collected->begun_ns;
  if (collected->last_resort)
    end_window(overhead, limit, collected->ended_ns);
}

bool spgc_overhead_is_exceeded(const struct spgc_overhead *overhead) {
  return overhead->futile >= FUTILE_WINDOWS;
}

void spgc_overhead_forget(struct spgc_overhead *overhead) {
  overhead->futile = 0;
  overhead->spent = (struct spgc_effort){0};
}

struct spgc_overhead_description spgc_overhead_describe(const struct spgc_overhead *overhead,
                                                        const struct spgc_limit *limit) {
  const struct spgc_effort *spent = &overhead->spent;
  struct spgc_overhead_description description;
  snprintf(description.words, sizeof description.words,
           "the last %" PRIu32 " full collections took %.0f %% of the time and freed %.1f %% of "
           "the limit of %zu bytes (option overhead=%" PRIu64 ")",
           overhead->futile, (double)spent->full_ns * PERCENT / (double)spent->elapsed_ns,
           (double)spent->freed_blocks * PERCENT / (double)limit->blocks,
           limit->blocks * SPGC_BLOCK_BYTES, overhead->percent);
  return description;
}
