#include "bench/micro/mutator.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/micro/clock.h"
#include "bench/micro/managed.h"
#include "bench/micro/program.h"
#include "bench/micro/samples.h"
#include "spgc/handle.h"
#include "spgc/heap.h"

enum { REPETITIONS = 31, PAIRS = 4000000, STORES = 8000000 };

/* In a buffer that is reused like a nursery. */
static __attribute__((noinline)) struct pair *bare_allocate(uint64_t count, struct pair *left,
                                                            struct pair *right, char *buffer) {
  static const int type;
  char *cursor = buffer, *limit = buffer + MICRO_NURSERY_BYTES;
  struct pair *pair = NULL;
  while (count-- != 0) {
    if (sizeof *pair > (size_t)(limit - cursor))
      cursor = buffer;
    pair = (struct pair *)cursor;
    cursor += sizeof *pair;
    pair->type = &type;
    pair->left = left;
    pair->right = right;
  }
  return pair;
}

static void print(const char *name, int count, const char *goal, struct samples *managed,
                  struct samples *bare) {
  double ratio = samples_median(managed) / samples_median(bare);
  printf("{\"micro\": \"%s\", \"ns\": %.3f, \"bare_ns\": %.3f, \"ratio\": %.2f, \"best_ratio\": "
         "%.2f%s}\n",
         name, samples_median(managed) / count, samples_median(bare) / count, ratio,
         samples_best(managed) / samples_best(bare), goal);
  fflush(stdout);
}

void measure_allocation(void) {
  struct samples managed = {0}, bare = {0};
  char *buffer = malloc(MICRO_NURSERY_BYTES);
  micro_require(buffer != NULL, "no memory");
  micro_start(__builtin_frame_address(0));
  for (int i = 0; i < REPETITIONS; i++) {
    double before = processor_ns();
    micro_require(managed_allocate(PAIRS, NULL, NULL) != NULL, "no pair");
    double between = processor_ns();
    micro_require(bare_allocate(PAIRS, NULL, NULL, buffer) != NULL, "no pair");
    samples_add(&bare, processor_ns() - between);
    samples_add(&managed, between - before);
  }
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  micro_require(statistics.minor_collections >=
                        (uint64_t)REPETITIONS * PAIRS / MICRO_NURSERY_BYTES * sizeof(struct pair) -
                            1 &&
                    statistics.moved_objects <= statistics.minor_collections,
                "minor collections that move nothing were expected");
  micro_stop();
  free(buffer);
  print("allocation", PAIRS, ", \"goal\": 1.6", &managed, &bare);
}

static __attribute__((noinline)) void bare_store(uint64_t count, struct pairs *array,
                                                 struct pair *pair) {
  uint64_t place = 0;
  while (count-- != 0) {
    place = place_after(place);
    array->items[place >> (64 - PAIRS_LENGTH_BITS)] = pair;
  }
}

void measure_barrier(void) {
  struct samples managed = {0}, bare = {0};
  static struct pair pair;
  struct pairs *items = malloc(sizeof *items + (sizeof *items->items << PAIRS_LENGTH_BITS));
  micro_require(items != NULL, "no memory");
  micro_start(__builtin_frame_address(0));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = spgc_handle_make(spgc_ref_from_word((uintptr_t)managed_array()));
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (int i = 0; i < REPETITIONS; i++) {
    double before = processor_ns();
    managed_store(STORES, (struct pairs *)spgc_handle_get(array).word, NULL);
    double between = processor_ns();
    bare_store(STORES, items, &pair);
    samples_add(&bare, processor_ns() - between);
    samples_add(&managed, between - before);
  }
  spgc_scope_close(scope);
  micro_stop();
  free(items);
  print("barrier", STORES, "", &managed, &bare);
}
