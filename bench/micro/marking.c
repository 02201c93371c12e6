#include "bench/micro/marking.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/micro/clock.h"
#include "bench/micro/heap_of_graph.h"
#include "bench/micro/program.h"
#include "bench/micro/samples.h"
#include "gc/trace/cycle.h"
#include "gc/trace/mark.h"
#include "heap/sweep.h"

enum { WORD = 8, WORD_BITS = 64 };

struct experiment {
  const char *graph_name, *size_name;
  struct graph graph;
  int repetitions;
  struct spgc_heap heap;
  struct spgc_marker marker;
  struct spgc_worker_pool pool;
  uint64_t *bits;     /* the bare loop's: one for each word of the heap's range */
  uintptr_t *waiting; /* and its stack */
};

/* The yardstick: a bit for each object, and a stack. */
static uint32_t mark_bare(const struct experiment *experiment, uintptr_t root) {
  uintptr_t base = experiment->heap.base, *top = experiment->waiting, *end = experiment->waiting;
  uint32_t marked = 1;
  *top++ = root;
  experiment->bits[(root - base) / WORD / WORD_BITS] |= UINT64_C(1)
                                                        << (root - base) / WORD % WORD_BITS;
  while (top != end) {
    uintptr_t object = *--top, last = object + (*(const struct spgc_type **)object)->size;
    for (uintptr_t slot = object + WORD; slot < last; slot += WORD) {
      uintptr_t target = *(const uintptr_t *)slot;
      if (target == 0)
        continue;
      uint64_t *bits = &experiment->bits[(target - base) / WORD / WORD_BITS];
      uint64_t bit = UINT64_C(1) << (target - base) / WORD % WORD_BITS;
      if ((*bits & bit) != 0)
        continue;
      *bits |= bit;
      *top++ = target;
      marked++;
    }
  }
  return marked;
}

static void sample_bare(struct experiment *experiment, struct samples *elapsed) {
  uintptr_t root = heap_write_old(&experiment->heap, &experiment->graph);
  memset(experiment->bits, 0, experiment->heap.size / WORD / CHAR_BIT);
  double start = elapsed_ns();
  uint32_t marked = mark_bare(experiment, root);
  samples_add(elapsed, elapsed_ns() - start);
  if (marked != experiment->graph.count)
    micro_fail("the bare loop has not marked everything once");
}

/* The world is stopped, with one root. */
static void sample_heap(struct experiment *experiment, uint32_t extra_workers,
                        struct samples *elapsed) {
  struct spgc_heap *heap = &experiment->heap;
  struct spgc_marker *marker = &experiment->marker;
  const struct spgc_parallelism parallelism = {.pool = &experiment->pool,
                                               .extra_workers = extra_workers};
  uintptr_t root = heap_write_old(heap, &experiment->graph);
  experiment->pool.backoff.waiting = 0; /* whatever it cost the last time */
  double start = elapsed_ns();
  spgc_marker_begin(marker, false);
  spgc_marker_engage(marker, &parallelism);
  spgc_mark(&marker->scanners[0], spgc_ref_from_word(root), SPGC_TRACE_SERIAL);
  spgc_marker_drain(marker);
  samples_add(elapsed, elapsed_ns() - start);
  if (spgc_marker_bytes(marker) != experiment->graph.bytes)
    micro_fail("a marking has not marked everything once");
  spgc_marker_end(marker, false);
  spgc_sweep_begin(heap);
  spgc_sweep_all(heap, &parallelism);
}

struct times {
  struct samples bare, alone, mode;
};

static void sample_all(struct experiment *experiment, struct times *times) {
  sample_bare(experiment, &times->bare);
  sample_heap(experiment, 0, &times->alone);
  sample_heap(experiment, 1, &times->mode);
}

static void print(const struct experiment *experiment, struct times *times) {
  double count = experiment->graph.count;
  double bare = samples_median(&times->bare), alone = samples_median(&times->alone),
         mode = samples_median(&times->mode);
  printf("{\"micro\": \"marking\", \"graph\": \"%s\", \"size\": \"%s\", \"objects\": %u, "
         "\"bare_ns\": %.2f, \"ns\": %.2f, "
         "\"ratio\": %.2f, \"best_ratio\": %.2f, \"two_threads_ns\": %.2f, \"speedup\": %.2f, "
         "\"best_speedup\": %.2f}\n",
         experiment->graph_name, experiment->size_name, experiment->graph.count, bare / count,
         alone / count, alone / bare, samples_best(&times->alone) / samples_best(&times->bare),
         mode / count, alone / mode, samples_best(&times->alone) / samples_best(&times->mode));
  fflush(stdout);
}

static void measure(struct experiment *experiment) {
  struct times warm = {0}, times = {0};
  sample_all(experiment, &warm);
  for (int i = 0; i < experiment->repetitions; i++)
    sample_all(experiment, &times);
  print(experiment, &times);
}

static void run(struct experiment *experiment) {
  if (!spgc_heap_create(&experiment->heap, 2 * experiment->graph.bytes + (1 << 20), SIZE_MAX,
                        false) ||
      !spgc_marker_create(&experiment->marker, &experiment->heap))
    micro_fail("no memory");
  experiment->bits = malloc(experiment->heap.size / WORD / CHAR_BIT);
  experiment->waiting = malloc(experiment->graph.count * sizeof *experiment->waiting);
  if (experiment->bits == NULL || experiment->waiting == NULL)
    micro_fail("no memory");
  spgc_worker_pool_create(&experiment->pool, 1);
  measure(experiment);
  spgc_worker_pool_destroy(&experiment->pool);
  free(experiment->waiting);
  free(experiment->bits);
  spgc_marker_destroy(&experiment->marker);
  spgc_heap_destroy(&experiment->heap);
}

void measure_marking(void) {
  static const struct {
    const char *name;
    size_t bytes;
    int repetitions;
  } sizes[] = {{"4 MiB", 4 << 20, 51}, {"32 MiB", 32 << 20, 15}};
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
