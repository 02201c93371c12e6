#ifndef BENCH_WORKLOADS_ENVIRONMENT_H
#define BENCH_WORKLOADS_ENVIRONMENT_H

#include <stdint.h>

#include "bench/workloads/workload.h"

struct environment_statistics {
  uint64_t minor_collections, final_marks, full_collections;
  uint64_t partial_markings; /* ended by final marks */
  uint64_t moved_objects;
  double longest_pause_ms, total_pause_ms;
  double longest_minor_pause_ms; /* of collections of the nursery alone */
  double longest_final_mark_ms;
  double longest_stop_ms;   /* until all threads had stopped */
  uint64_t peak_heap_bytes; /* 0: unknown */
};

/* Returns the checksum. */
uint64_t environment_run(const struct workload *workload, const uint64_t *arguments,
                         struct environment_statistics *statistics);

/* For further threads: at their beginning, with a frame that outlives their work, and at their
 * end. */
void environment_attach(void *base);
void environment_detach(void);

/* Calls what waits for another thread. */
void environment_block(void *(*function)(void *argument), void *argument);

#endif
