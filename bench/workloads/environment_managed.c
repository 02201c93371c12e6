#include <stdio.h>
#include <stdlib.h>

#include "bench/workloads/environment.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result != SPGC_OK) {
    fprintf(stderr, "spgc-workloads: %s\n", error->message);
    exit(EXIT_FAILURE);
  }
}

static void read_statistics(struct environment_statistics *statistics) {
  struct spgc_statistics heap;
  spgc_statistics_read(&heap);
  statistics->minor_collections = heap.minor_collections;
  statistics->full_collections = heap.full_collections;
  statistics->final_marks = heap.final_marks;
  statistics->partial_markings = heap.partial_markings;
  statistics->moved_objects = heap.moved_objects;
  statistics->longest_pause_ms = (double)heap.longest_pause_ns / 1e6;
  statistics->longest_minor_pause_ms = (double)heap.longest_minor_pause_ns / 1e6;
  statistics->longest_final_mark_ms = (double)heap.longest_final_mark_ns / 1e6;
  statistics->longest_stop_ms = (double)heap.longest_stop_ns / 1e6;
  statistics->total_pause_ms = (double)heap.total_pause_ns / 1e6;
  statistics->peak_heap_bytes = heap.peak_heap_bytes;
}

uint64_t environment_run(const struct workload *workload, const uint64_t *arguments,
                         struct environment_statistics *statistics) {
  struct spgc_error error;
  require(spgc_start(NULL, &error), &error);
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  uint64_t checksum = workload->run(arguments);
  read_statistics(statistics);
  spgc_thread_detach();
  spgc_stop();
  return checksum;
}

void environment_attach(void *base) {
  struct spgc_error error;
  require(spgc_thread_attach(base, &error), &error);
}

void environment_detach(void) {
  spgc_thread_detach();
}

void environment_block(void *(*function)(void *argument), void *argument) {
  spgc_call_blocking(function, argument);
}
