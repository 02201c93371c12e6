#include "frontend-demo/runtime/run.h"

#include <inttypes.h>

#include "spgc/heap.h"

/* Written at the end of each run, by its thread. */
static struct spgc_statistics taken;

void lox_statistics_take(void) {
  spgc_statistics_read(&taken);
}

static double milliseconds(uint64_t nanoseconds) {
  return (double)nanoseconds / 1e6;
}

void lox_statistics_print(FILE *file) {
  fprintf(file,
          "gc: collections: %" PRIu64 " (%" PRIu64 " minor, %" PRIu64 " final-mark, %" PRIu64
          " full)\n",
          taken.collections, taken.minor_collections, taken.final_marks, taken.full_collections);
  fprintf(file, "gc: moved: %" PRIu64 " objects, %" PRIu64 " bytes\n", taken.moved_objects,
          taken.moved_bytes);
  fprintf(file,
          "gc: stack: %" PRIu64 " frames, %" PRIu64 " roots in slots, %" PRIu64
          " in registers, %" PRIu64 " registers rewritten\n",
          taken.frames_walked, taken.roots_in_slots, taken.roots_in_registers,
          taken.registers_rewritten);
  fprintf(file, "gc: pauses: %.3f ms in all, p50 %.3f ms, p90 %.3f ms, %.3f ms the longest\n",
          milliseconds(taken.total_pause_ns),
          milliseconds(spgc_histogram_percentile(&taken.pauses, 50)),
          milliseconds(spgc_histogram_percentile(&taken.pauses, 90)),
          milliseconds(taken.longest_pause_ns));
  fprintf(file, "gc: heap: %" PRIu64 " bytes at most, %" PRIu64 " bytes allocated\n",
          taken.peak_heap_bytes, taken.allocated_bytes);
}
