#include "bench/micro/evacuation.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/micro/cheney.h"
#include "bench/micro/clock.h"
#include "bench/micro/heap_of_graph.h"
#include "bench/micro/program.h"
#include "bench/micro/samples.h"
#include "gc/trace/evacuate.h"
#include "heap/blocks.h"
#include "heap/condemn.h"

enum kind {
  MINOR, /* a nursery */
  FULL,  /* old blocks, all sparse */
};

/* Both have the objects in the same order. Memory that is used again has its pages. */
struct experiment {
  const char *graph_name, *size_name;
  struct graph graph;
  enum kind kind;
  int repetitions;
  struct spgc_heap heap;
  struct spgc_worker_pool pool;
  struct cheney_space area; /* Cheney's from-space, followed by its to-space */
};

static void begin(struct experiment *experiment, struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = &experiment->heap;
  if (experiment->kind == MINOR)
    spgc_condemn_nursery(heap);
  else
    spgc_condemn_old(heap);
  spgc_evacuation_begin(evacuation, heap, NULL, NULL);
}

/* A collection between its first and last step, with one root and no dirty card. */
static void evacuate(struct experiment *experiment, struct spgc_evacuation *evacuation,
                     uintptr_t *root, uint32_t extra_workers) {
  const struct spgc_parallelism parallelism = {.pool = &experiment->pool,
                                               .extra_workers = extra_workers};
  experiment->pool.backoff.waiting = 0; /* whatever it cost the last time */
  begin(experiment, evacuation);
  for (uint32_t worker = 0; worker <= extra_workers; worker++)
    if (!spgc_worklist_provide(&experiment->heap.workers[worker].stack))
      micro_fail("no memory");
  spgc_evacuation_engage(evacuation, &parallelism);
  spgc_evacuation_forward(evacuation, spgc_slot_at(root));
  if (experiment->kind == MINOR)
    spgc_evacuation_scan_cards(evacuation);
  spgc_evacuation_drain(evacuation);
  spgc_evacuation_end(evacuation);
  spgc_blocks_free_condemned(&experiment->heap);
}

static double all_processor_ns(const struct spgc_worker_pool *pool) {
  return processor_ns() + (pool->started == 0 ? 0 : processor_ns_of(pool->threads[0].thread));
}

static void sample_heap(struct experiment *experiment, uint32_t extra_workers,
                        struct samples *elapsed, struct samples *processor) {
  struct spgc_heap *heap = &experiment->heap;
  struct spgc_evacuation evacuation;
  bool old = experiment->kind == FULL;
  uintptr_t root =
      old ? heap_write_old(heap, &experiment->graph) : heap_write_young(heap, &experiment->graph);
  if (!spgc_blocks_prepare(
          heap, spgc_blocks_for_evacuation((size_t)heap->used_blocks * SPGC_BLOCK_BYTES) +
                    (size_t)SPGC_PLABS * extra_workers))
    micro_fail("no memory");
  double start = elapsed_ns(), processor_start = all_processor_ns(&experiment->pool);
  evacuate(experiment, &evacuation, &root, extra_workers);
  samples_add(processor, all_processor_ns(&experiment->pool) - processor_start);
  samples_add(elapsed, elapsed_ns() - start);
  if (evacuation.moved_objects != experiment->graph.count ||
      evacuation.moved_bytes != experiment->graph.bytes)
    micro_fail("an evacuation has not moved everything once");
}

static uintptr_t place_in_area(void *context, size_t bytes) {
  uintptr_t *cursor = context, address = *cursor;
  *cursor += bytes;
  return address;
}

static void sample_cheney(const struct experiment *experiment, struct samples *elapsed,
                          struct samples *processor) {
  uintptr_t cursor = experiment->area.start;
  uintptr_t root = graph_write(&experiment->graph, place_in_area, &cursor);
  double start = elapsed_ns(), processor_start = processor_ns();
  size_t copied =
      cheney_copy(experiment->area, experiment->area.start + experiment->area.size, root);
  samples_add(processor, processor_ns() - processor_start);
  samples_add(elapsed, elapsed_ns() - start);
  if (copied != experiment->graph.bytes)
    micro_fail("Cheney's algorithm has not copied everything once");
}

struct times {
  struct samples cheney, cheney_processor, serial, serial_processor, parallel, parallel_processor;
};

static void sample_all(struct experiment *experiment, struct times *times) {
  sample_cheney(experiment, &times->cheney, &times->cheney_processor);
  sample_heap(experiment, 0, &times->serial, &times->serial_processor);
  sample_heap(experiment, 1, &times->parallel, &times->parallel_processor);
}

static void print(const struct experiment *experiment, struct times *times) {
  double count = experiment->graph.count;
  printf("{\"micro\": \"evacuation\", \"kind\": \"%s\", \"graph\": \"%s\", \"size\": \"%s\", "
         "\"objects\": %u",
         experiment->kind == MINOR ? "minor" : "full", experiment->graph_name,
         experiment->size_name, experiment->graph.count);
  printf(", \"cheney_ns\": %.2f, \"ns\": %.2f, \"ratio\": %.2f, \"best_ratio\": %.2f, \"goal\": 2",
         samples_median(&times->cheney_processor) / count,
         samples_median(&times->serial_processor) / count,
         samples_median(&times->serial_processor) / samples_median(&times->cheney_processor),
         samples_best(&times->serial_processor) / samples_best(&times->cheney_processor));
  printf(", \"elapsed_ns\": %.2f, \"two_threads_ns\": %.2f, \"speedup\": %.2f, \"best_speedup\": "
         "%.2f, "
         "\"speedup_goal\": 1.7, \"two_threads_processor_ns\": %.2f}\n",
         samples_median(&times->serial) / count, samples_median(&times->parallel) / count,
         samples_median(&times->serial) / samples_median(&times->parallel),
         samples_best(&times->serial) / samples_best(&times->parallel),
         samples_median(&times->parallel_processor) / count);
  fflush(stdout);
}

/* The first repetition touches the memory. */
static void measure(struct experiment *experiment) {
  struct times warm = {0}, times = {0};
  sample_all(experiment, &warm);
  for (int i = 0; i < experiment->repetitions; i++)
    sample_all(experiment, &times);
  print(experiment, &times);
}

static void run(struct experiment *experiment) {
  size_t bytes = experiment->graph.bytes;
  void *area = malloc(2 * bytes);
  if (area == NULL || !spgc_heap_create(&experiment->heap, 3 * bytes + (1 << 20), SIZE_MAX, false))
    micro_fail("no memory");
  experiment->area = (struct cheney_space){(uintptr_t)area, bytes};
  spgc_worker_pool_create(&experiment->pool, 1);
  for (enum kind kind = MINOR; kind <= FULL; kind++) {
    experiment->kind = kind;
    measure(experiment);
  }
  spgc_worker_pool_destroy(&experiment->pool);
  spgc_heap_destroy(&experiment->heap);
  free(area);
}

void measure_evacuation(void) {
  static const struct {
    const char *name;
    size_t bytes;
    int repetitions;
  } sizes[] = {{"L2", 192 << 10, 101}, {"nursery", 4 << 20, 51}, {"64 MiB", 64 << 20, 9}};
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
    for (size_t graph = 0; graph < graph_kind_count; graph++) {
      struct experiment experiment = {.graph_name = graph_kinds[graph].name,
                                      .size_name = sizes[size].name,
                                      .graph = graph_kinds[graph].make(sizes[size].bytes),
                                      .repetitions = sizes[size].repetitions};
      run(&experiment);
      graph_free(&experiment.graph);
    }
}
